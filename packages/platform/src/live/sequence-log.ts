import { randomInt } from 'node:crypto'
import type { LiveEvent } from '@storey/contract'
import { type Broadcast, createBroadcast } from './broadcast.ts'
import { eventMessage } from './event-message.ts'

/** An event in the form in which every socket receives it. */
export interface Entry {
  sequence: number
  name: LiveEvent
  /** The fields of the event, as JSON. */
  fields: string
}

/** Some messages for a socket. Sockets share the broadcast. */
export interface Piece {
  broadcast: Broadcast
  /** The index of the first message for the socket. */
  from: number
  /** The number of the last event before the piece. */
  after: number
  /** The number of the last event in the piece. */
  sequence: number
  /** About how much memory the broadcast takes. */
  bytes: number
}

/** Consecutive events of the log. */
interface Block {
  entries: Entry[]
  bytes: number
  /** The events as messages, if a socket has read them since the last event was added. */
  broadcast?: Broadcast | undefined
}

export interface LogLimits {
  events: number
  bytes: number
  pieceBytes: number
}

/**
 * The last events of a building, numbered consecutively. The first number is random, so that a number of another
 * process, or from before a restart, is not mistaken for a number of this log.
 *
 * The events are in blocks of about `pieceBytes`, and sockets read block by block. So sockets that resume from
 * different events soon read the same blocks, whose messages are encoded once for all of them.
 */
export function createSequenceLog(limits: LogLimits, base = randomInt(2 ** 48 - 1) + 1) {
  const blocks: Block[] = []
  let head = base
  /** The number of the last event that is no longer kept. */
  let lost = base
  let held = 0

  const firstOf = ({ entries }: Block) => entries[0]!.sequence

  /** Whether every event after this number is still kept. */
  const holds = (after: number): boolean => after <= head && after >= lost

  function openBlock(): Block {
    const last = blocks.at(-1)
    if (last !== undefined && last.bytes < limits.pieceBytes) return last
    const block: Block = { entries: [], bytes: 0 }
    blocks.push(block)
    return block
  }

  /** A block is deleted as a whole, when none of its events is kept. */
  function loseOldest(): void {
    const { entries } = blocks[0]!
    held -= entries[++lost - entries[0]!.sequence]!.fields.length
    if (entries.at(-1)!.sequence === lost) blocks.shift()
  }

  return {
    /** The number of the last event. */
    head: () => head,

    append(name: LiveEvent, fields: Record<string, unknown>): Entry {
      const entry = { sequence: ++head, name, fields: JSON.stringify(fields) }
      const block = openBlock()
      block.entries.push(entry)
      block.bytes += entry.fields.length
      block.broadcast = undefined
      held += entry.fields.length
      while (head - lost > limits.events || held > limits.bytes) loseOldest()
      return entry
    },

    holds,

    /**
     * The next events after this number: the rest of their block. Undefined if there are none; `lost` if some of them
     * are no longer kept, or `after` is above the last number.
     */
    piece(after: number): Piece | 'lost' | undefined {
      if (!holds(after)) return 'lost'
      const block = blocks.findLast((one) => firstOf(one) <= after + 1)
      if (after === head || block === undefined) return undefined
      block.broadcast ??= createBroadcast(
        block.entries.map((entry) => eventMessage(entry.name, entry.fields, { sequence: entry.sequence })),
      )
      const { broadcast, bytes, entries } = block
      return {
        broadcast,
        from: after + 1 - firstOf(block),
        after,
        sequence: entries.at(-1)!.sequence,
        bytes: 2 * bytes,
      }
    },
  }
}

export type SequenceLog = ReturnType<typeof createSequenceLog>
