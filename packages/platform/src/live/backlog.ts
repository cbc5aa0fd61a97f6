import { LIMITS, type LiveEvent, type PointUpdated } from '@storey/contract'
import { createBroadcast } from './broadcast.ts'
import { eventMessage } from './event-message.ts'
import type { Entry, Piece } from './sequence-log.ts'

const POINT_UPDATED: LiveEvent = 'building.point.updated'

type Observation = PointUpdated['observations'][number]

/**
 * What waits for the slow sockets of a building: the last value of each point, and all events of other kinds. All slow
 * sockets share the backlog, and each reads from its own sequence number on. So no slow socket needs its own buffer.
 */
export function createBacklog(buildingId: string, limits: { events: number; bytes: number }) {
  /** Ordered by the last event of the point, the oldest first. */
  const latest = new Map<string, { sequence: number; observation: Observation }>()
  const others: Entry[] = []
  let bytes = 0
  /** The sequence number of the last event that was dropped from `others`. */
  let lost = 0
  /** The pieces that are on their way, by the number after which they begin. Sockets with the same number share one. */
  const pieces = new Map<number, Piece>()

  function keep(sequence: number, observation: Observation): void {
    const { pointId } = observation
    const before = latest.get(pointId)
    // A late observation does not replace the last value.
    const isLate = before !== undefined && Date.parse(before.observation.timestamp) > Date.parse(observation.timestamp)
    latest.delete(pointId)
    latest.set(pointId, { sequence, observation: isLate ? before.observation : observation })
  }

  /**
   * The last values of the points whose last event has a higher number than `after`, and at most the number `until`.
   * Events are not split: a message has as many whole events as fit.
   */
  function observationsOf(after: number, until: number): { observations: Observation[]; sequence: number } {
    const observations: Observation[] = []
    let whole = 0
    let sequence = after
    for (const { sequence: at, observation } of latest.values()) {
      if (at <= after) continue
      if (at > until) break
      if (at !== sequence) [whole, sequence] = [observations.length, at]
      if (observations.length >= LIMITS.observation.perEvent && whole > 0) {
        return { observations: observations.slice(0, whole), sequence: at - 1 }
      }
      observations.push(observation)
    }
    return { observations, sequence: until }
  }

  function createPiece(after: number, head: number): Piece | undefined {
    const next = others.find(({ sequence }) => sequence > after)
    const { observations, sequence } = observationsOf(after, (next?.sequence ?? head + 1) - 1)
    if (observations.length > 0) {
      const fields = JSON.stringify({ buildingId, observations } satisfies PointUpdated)
      return pieceOf(POINT_UPDATED, fields, after, sequence)
    }
    return next && pieceOf(next.name, next.fields, after, next.sequence)
  }

  return {
    add(entry: Entry, { observations }: Record<string, unknown>): void {
      pieces.clear()
      if (entry.name === POINT_UPDATED && Array.isArray(observations) && observations.length > 0) {
        for (const observation of observations) keep(entry.sequence, observation)
        return
      }
      others.push(entry)
      bytes += entry.fields.length
      while (others.length > limits.events || bytes > limits.bytes) {
        const gone = others.shift()!
        bytes -= gone.fields.length
        lost = gone.sequence
      }
    },

    /**
     * The next message after this sequence number: undefined if there is none, `lost` if a later event was dropped.
     * `head` is the number of the last event that was added.
     */
    piece(after: number, head: number): Piece | 'lost' | undefined {
      if (after >= head) return undefined
      if (after < lost) return 'lost'
      const piece = pieces.get(after) ?? createPiece(after, head)
      if (piece !== undefined) pieces.set(after, piece)
      return piece
    },

    /** Deletes a piece that is no longer on its way to any socket. */
    forget(piece: Piece): void {
      if (pieces.get(piece.after) === piece) pieces.delete(piece.after)
    },
  }
}

export type Backlog = ReturnType<typeof createBacklog>

function pieceOf(name: LiveEvent, fields: string, after: number, sequence: number): Piece {
  const message = eventMessage(name, fields, { sequence, skipped: sequence - after - 1 })
  // The message is kept as text and as a frame.
  return { broadcast: createBroadcast([message]), from: 0, after, sequence, bytes: 2 * message.length }
}
