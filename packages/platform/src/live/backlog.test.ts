import { describe, expect, it } from 'vitest'
import { createBacklog } from './backlog.ts'
import { createSequenceLog } from './sequence-log.ts'
import { messagesOf } from './testing/messages-of.ts'

const LIMITS = { events: 50, bytes: 1e6 }
const POINT = 'building.point.updated'

/** Fills a backlog as a building channel does. `read` reads it like a socket that starts after a sequence number. */
function start(limits = LIMITS) {
  const log = createSequenceLog({ events: 10_000, bytes: 1e9, pieceBytes: 1e6 }, 0)
  const backlog = createBacklog('b', limits)
  const put = (name: 'building.point.updated' | 'wifi-sensing.event', fields: Record<string, unknown>) =>
    backlog.add(log.append(name, fields), fields)
  const observe = (points: readonly string[], value: string, timestamp = '2026-03-02T10:00:00.000Z') =>
    put(POINT, { buildingId: 'b', observations: points.map((pointId) => ({ pointId, value, timestamp })) })
  function* read(from: number) {
    for (let at = from; ; ) {
      const piece = backlog.piece(at, log.head())
      if (piece === 'lost') yield 'lost' as const
      if (piece === undefined || piece === 'lost') return
      for (const message of messagesOf(piece)) {
        const [name, fields, meta] = JSON.parse(message.replace('2/buildings,', ''))
        expect(meta.sequence).toBe(at + 1 + (meta.skipped ?? 0))
        yield { name, fields, meta }
        at = meta.sequence
      }
      expect(at).toBe(piece.sequence)
    }
  }
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an event as a client does, without a schema.
  const all = (from: number): any[] => [...read(from)]
  return { log, backlog, put, observe, read, all }
}

describe('the backlog of slow sockets', () => {
  it('holds the last value of each point, with the number of skipped events', () => {
    const { observe, all } = start()
    observe(['p', 'q'], '1')
    observe(['p'], '2')
    observe(['p'], '3')
    const values = (from: number) =>
      all(from).map(({ fields, meta }) => [
        fields.observations.map(({ pointId, value }: Record<string, string>) => `${pointId}${value}`),
        meta,
      ])
    expect(values(0)).toEqual([[['q1', 'p3'], { sequence: 3, skipped: 2 }]])
    expect(values(1)).toEqual([[['p3'], { sequence: 3, skipped: 1 }]])
    expect(values(2)).toEqual([[['p3'], { sequence: 3 }]])
    expect(values(3)).toEqual([])
  })

  it('does not replace the last value by a late observation', () => {
    const { observe, all } = start()
    observe(['p'], 'new', '2026-03-02T10:00:00.000Z')
    observe(['p'], 'late', '2026-03-02T09:00:00.000Z')
    expect(all(0)[0].fields.observations[0].value).toBe('new')
    observe(['p'], 'again', '2026-03-02T10:00:00.000Z')
    expect(all(0)[0].fields.observations[0].value).toBe('again')
  })

  it('keeps all events other than observations, in order', () => {
    const { observe, put, all } = start()
    observe(['p', 'q'], '1')
    put('wifi-sensing.event', { n: 1 })
    observe(['p'], '2')
    put('wifi-sensing.event', { n: 2 })
    expect(all(0).map(({ name, meta }) => [name, meta])).toEqual([
      [POINT, { sequence: 1 }],
      ['wifi-sensing.event', { sequence: 2 }],
      [POINT, { sequence: 3 }],
      ['wifi-sensing.event', { sequence: 4 }],
    ])
    observe(['q', 'p'], '3')
    expect(all(0).map(({ name, meta }) => [name, meta])).toEqual([
      ['wifi-sensing.event', { sequence: 2, skipped: 1 }],
      ['wifi-sensing.event', { sequence: 4, skipped: 1 }],
      [POINT, { sequence: 5 }],
    ])
  })

  it('returns messages of at most 1,000 observations, and does not split an event', () => {
    const { observe, all } = start()
    const points = Array.from({ length: 2_500 }, (_, i) => `p${i}`)
    for (let from = 0; from < points.length; from += 500) observe(points.slice(from, from + 500), '1')
    observe(points.slice(0, 800), '2')
    expect(all(0).map(({ fields, meta }) => [fields.observations.length, meta])).toEqual([
      [700, { sequence: 3, skipped: 2 }],
      [1000, { sequence: 5, skipped: 1 }],
      [800, { sequence: 6 }],
    ])
  })

  it('reports when an event other than observations was dropped', () => {
    const { put, observe, all } = start({ events: 3, bytes: 1e6 })
    for (let n = 1; n <= 5; n++) put('wifi-sensing.event', { n })
    observe(['p'], '1')
    expect(all(1)).toEqual(['lost'])
    expect(all(2).map(({ meta }) => meta.sequence)).toEqual([3, 4, 5, 6])
  })

  it('gives sockets that have received the same events the same piece, until the next event', () => {
    const { backlog, observe } = start()
    observe(['p'], '1')
    const piece = backlog.piece(0, 1)
    expect(backlog.piece(0, 1)).toBe(piece)
    observe(['p'], '2')
    expect(backlog.piece(0, 2)).not.toBe(piece)
  })

  it('delivers the last value of each point, however reads and writes interleave', () => {
    for (let round = 0; round < 200; round++) {
      const { log, observe, put, read } = start()
      let state = round + 1
      const random = (n: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return Math.floor((state / 2 ** 32) * n)
      }
      const expected = new Map<string, string>()
      const seen = new Map<string, string>()
      const others: number[] = []
      let reached = 0
      for (let step = 0; step < 60; step++) {
        if (random(10) === 0) put('wifi-sensing.event', { n: step })
        else {
          const points = Array.from({ length: 1 + random(4) }, () => `p${random(6)}`)
          observe(points, String(step))
          for (const point of points) expected.set(point, String(step))
        }
        if (random(4) > 0 && step < 59) continue
        let left = step === 59 ? Number.POSITIVE_INFINITY : random(3)
        for (const message of read(reached)) {
          if (left-- <= 0) break
          if (message === 'lost') throw new Error('an event was dropped')
          const { name, fields, meta } = message
          reached = meta.sequence
          if (name !== POINT) others.push(meta.sequence)
          else for (const { pointId, value } of fields.observations) seen.set(pointId, value)
        }
      }
      expect(reached).toBe(log.head())
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected))
      expect(others).toEqual(others.toSorted((a, b) => a - b))
    }
  })
})
