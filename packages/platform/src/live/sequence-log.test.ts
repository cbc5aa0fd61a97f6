import { describe, expect, it } from 'vitest'
import { createSequenceLog, type Piece } from './sequence-log.ts'
import { messagesOf } from './testing/messages-of.ts'

const NAME = 'wifi-sensing.event'
const LIMITS = { events: 5, bytes: 1_000_000, pieceBytes: 1_000_000 }

/** The sequence numbers of the events in a piece of the log. */
function numbersIn(piece: ReturnType<ReturnType<typeof createSequenceLog>['piece']>): number[] | string | undefined {
  if (piece === undefined || piece === 'lost') return piece
  return messagesOf(piece).map((message) => JSON.parse(message.replace('2/buildings,', ''))[2].sequence)
}

describe('the log of a building', () => {
  it('numbers events consecutively, and returns them as Socket.IO writes them', () => {
    const log = createSequenceLog(LIMITS, 10)
    expect(log.head()).toBe(10)
    expect(log.append(NAME, { a: 1 }).sequence).toBe(11)
    log.append(NAME, { a: 2 })
    const piece = log.piece(10) as Piece
    expect(piece.sequence).toBe(12)
    expect(messagesOf(piece)).toEqual([
      `2/buildings,["${NAME}",{"a":1},{"sequence":11}]`,
      `2/buildings,["${NAME}",{"a":2},{"sequence":12}]`,
    ])
    expect(log.piece(12)).toBeUndefined()
  })

  it('begins at a random number, far below the largest safe integer', () => {
    const bases = Array.from({ length: 50 }, () => createSequenceLog(LIMITS).head())
    expect(new Set(bases).size).toBe(50)
    for (const base of bases) expect(base).toBeLessThan(2 ** 52)
  })

  it('keeps a maximum number of events, and reports whether it has all events after a number', () => {
    const log = createSequenceLog(LIMITS, 100)
    for (let i = 0; i < 8; i++) log.append(NAME, { i })
    expect([102, 103, 107, 108, 109].map(log.holds)).toEqual([false, true, true, true, false])
    expect(numbersIn(log.piece(103))).toEqual([104, 105, 106, 107, 108])
    expect(log.piece(102)).toBe('lost')
    expect(log.piece(109)).toBe('lost')
  })

  it('keeps a maximum number of bytes, and does not keep an event that is larger than this maximum', () => {
    const log = createSequenceLog({ events: 1000, bytes: 1000, pieceBytes: 500 }, 0)
    for (let i = 0; i < 10; i++) log.append(NAME, { text: 'x'.repeat(300) })
    expect([6, 7].map(log.holds)).toEqual([false, true])
    log.append(NAME, { text: 'x'.repeat(2000) })
    expect([9, 10, 11].map(log.holds)).toEqual([false, false, true])
    log.append(NAME, {})
    expect(numbersIn(log.piece(11))).toEqual([12])
  })

  it('returns pieces of about the requested number of bytes, with at least one event', () => {
    const log = createSequenceLog({ events: 1000, bytes: 1e6, pieceBytes: 400 }, 0)
    for (let i = 0; i < 5; i++) log.append(NAME, { text: 'x'.repeat(300) })
    log.append(NAME, { text: 'x'.repeat(2000) })
    expect([0, 2, 4].map((after) => numbersIn(log.piece(after)))).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ])
  })

  it('ends all pieces of a block at the same event, wherever they begin, so that sockets share the messages', () => {
    const log = createSequenceLog({ events: 1000, bytes: 1e6, pieceBytes: 1000 }, 0)
    for (let i = 0; i < 10; i++) log.append(NAME, { text: 'x'.repeat(300) })
    const [first, second] = [log.piece(0), log.piece(2)] as [Piece, Piece]
    expect([first, second].map(numbersIn)).toEqual([
      [1, 2, 3, 4],
      [3, 4],
    ])
    expect(second.broadcast).toBe(first.broadcast)
  })

  it('returns new events although an earlier piece ended before them', () => {
    const log = createSequenceLog({ events: 3, bytes: 1e6, pieceBytes: 1e6 }, 0)
    log.append(NAME, {})
    expect(numbersIn(log.piece(0))).toEqual([1])
    for (let i = 0; i < 3; i++) log.append(NAME, {})
    expect(numbersIn(log.piece(1))).toEqual([2, 3, 4])
    expect(numbersIn(log.piece(3))).toEqual([4])
  })
})
