import type { SandboxSize, ToProvision } from '../features/sandboxes/index.ts'

/** A creation or a reset that is in progress. */
export interface Creation {
  /** The id of the organization whose developer owns the sandbox. */
  owner: string
  size: SandboxSize
}

interface Turns {
  /** The organizations that wait, the next one first. */
  owners: string[]
  /** The organizations with a creation that has ended since `owners` was determined. */
  ended: Set<string>
}

/**
 * Decides which sandboxes are created next. Large sandboxes never use all slots, so that small ones need not wait for
 * minutes. One organization never uses all slots either. For each size, organizations take turns.
 */
export function createCreationTurns(slots: number) {
  if (slots < 2) throw new RangeError('creations need at least two slots, so that a large sandbox leaves one free')
  const turns = { large: newTurns(), small: newTurns() }

  return {
    /**
     * Sorts waiting sandboxes of one size: the first sandbox of each organization, in the order of the turns, then the
     * second sandbox of each, and so on.
     */
    order(size: SandboxSize, waiting: readonly ToProvision[]): ToProvision[] {
      const { owners, ended } = turns[size]
      const present = new Set(waiting.map(({ owner }) => owner))
      const others = [...present].filter((owner) => !ended.has(owner))
      const next = [...new Set([...owners, ...others, ...ended])].filter((owner) => present.has(owner))
      turns[size] = { ...newTurns(), owners: next }
      return waiting.toSorted((a, b) => a.nth - b.nth || next.indexOf(a.owner) - next.indexOf(b.owner))
    },
    mayBegin({ owner, size }: Creation, running: readonly Creation[]): boolean {
      const isBelow = (max: number, isAlike: (other: Creation) => boolean) => running.filter(isAlike).length < max
      if (!isBelow(slots, () => true) || !isBelow(slots - 1, (other) => other.owner === owner)) return false
      return size === 'small' || isBelow(slots - 1, (other) => other.size === 'large')
    },
    /** The next turn of this organization comes after one turn of each other organization that waits now. */
    ended({ owner, size }: Creation): void {
      const { owners, ended } = turns[size]
      turns[size] = { owners: owners.filter((other) => other !== owner), ended: ended.add(owner) }
    },
  }
}

const newTurns = (): Turns => ({ owners: [], ended: new Set() })
