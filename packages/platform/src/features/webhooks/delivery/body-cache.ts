/** The bytes of the events that are being sent: one copy for each event, however many receivers it has. */
export interface BodyCache {
  readonly bytes: number
  /** The mean size of the held events. */
  readonly averageBytes: number
  /** Counts one more use of each held event and returns their ids. The caller must `drop` each of them afterwards. */
  pin(): string[]
  /** Counts one more use of an event, for a delivery. `body` is needed if the event is not held. */
  take(eventId: string, body: Buffer | null): Buffer
  drop(eventId: string): void
}

export function createBodyCache(): BodyCache {
  const known = new Map<string, { body: Buffer; uses: number }>()
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    get averageBytes() {
      return bytes / Math.max(1, known.size)
    },
    pin() {
      for (const entry of known.values()) entry.uses++
      return [...known.keys()]
    },
    take(eventId, body) {
      let entry = known.get(eventId)
      if (entry === undefined) {
        if (body === null) throw new Error(`the bytes of event ${eventId} are missing`)
        entry = { body, uses: 0 }
        known.set(eventId, entry)
        bytes += body.length
      }
      entry.uses++
      return entry.body
    },
    drop(eventId) {
      const entry = known.get(eventId)
      if (entry === undefined || --entry.uses > 0) return
      known.delete(eventId)
      bytes -= entry.body.length
    },
  }
}
