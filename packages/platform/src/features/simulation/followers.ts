import { STACK_CHANGED } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Bus } from '../../bus/index.ts'

/**
 * The kind in the event `STACK_CHANGED` with which a replica (a process of the same sandbox) announces that a person
 * follows the building at this replica. Other listeners ignore kinds that are not in `CHANGE_KINDS`, and so do replicas
 * of an earlier version.
 */
const FOLLOWED = 'followed'
/** How long an announcement is valid: longer than the pause between two announcements (`LATER_SEARCH_MS`). */
const VALID_MS = 45_000

export interface FollowersParts {
  bus: Bus
  clock: Clock
  /** The buildings that a signed-in person follows at this replica. */
  followed(): readonly string[]
}

/** The buildings that signed-in persons follow, at this replica and at others. */
export interface Followers {
  here(): readonly string[]
  isFollowedElsewhere(buildingId: string): boolean
  /** Announces the buildings that are followed here to the other replicas. */
  announce(): void
  close(): void
}

export function createFollowers({ bus, clock, followed }: FollowersParts): Followers {
  const nowMs = () => clock.now().getTime()
  /** By building: until when the last announcement by another replica is valid. */
  const validUntil = new Map<string, number>()
  const unsubscribe = bus.subscribe(
    STACK_CHANGED,
    ({ buildingId, fields: { kinds } }) => {
      if (Array.isArray(kinds) && kinds.includes(FOLLOWED)) validUntil.set(buildingId, nowMs() + VALID_MS)
    },
    { from: 'others' },
  )
  return {
    here: followed,
    isFollowedElsewhere: (buildingId) => nowMs() <= (validUntil.get(buildingId) ?? Number.NEGATIVE_INFINITY),
    announce() {
      for (const buildingId of followed()) bus.publish(buildingId, STACK_CHANGED, () => ({ kinds: [FOLLOWED] }))
    },
    close: unsubscribe,
  }
}
