import { randomInt } from 'node:crypto'
import type { LiveEvent } from '@storey/contract'
import { eventMessage } from './event-message.ts'

/** An event in the form in which every socket receives it. */
export interface Entry {
  sequence: number
  name: LiveEvent
  /** The fields of the event, as JSON. */
  fields: string
}

/** Some messages for a socket, and the number of the last event in them. */
export interface Piece {
  messages: string[]
  sequence: number
}

/**
 * The last events of a building, numbered consecutively. The first number is random, so that a number of another
 * process, or from before a restart, is not mistaken for a number of this log.
 */
export function createSequenceLog(limits: { events: number; bytes: number }, base = randomInt(2 ** 48 - 1) + 1) {
  const entries: Entry[] = []
  let head = base
  let held = 0

  /** Whether every event after this number is still kept. */
  const holds = (after: number): boolean => after <= head && after >= head - entries.length

  return {
    /** The number of the last event. */
    head: () => head,

    append(name: LiveEvent, fields: Record<string, unknown>): Entry {
      const entry = { sequence: ++head, name, fields: JSON.stringify(fields) }
      entries.push(entry)
      held += entry.fields.length
      while (entries.length > limits.events || held > limits.bytes) held -= entries.shift()!.fields.length
      return entry
    },

    holds,

    /**
     * The events with a higher number than `after`: at least one event, and more until `maxBytes` are reached.
     * Undefined if there are none; `lost` if some of them are no longer kept, or `after` is above the last number.
     */
    piece(after: number, maxBytes: number): Piece | 'lost' | undefined {
      if (!holds(after)) return 'lost'
      const messages: string[] = []
      let bytes = 0
      let sequence = after
      for (let i = entries.length - (head - after); i < entries.length && bytes < maxBytes; i++) {
        const { name, fields } = entries[i]!
        messages.push(eventMessage(name, fields, { sequence: ++sequence }))
        bytes += fields.length
      }
      return messages.length === 0 ? undefined : { messages, sequence }
    },
  }
}

export type SequenceLog = ReturnType<typeof createSequenceLog>
