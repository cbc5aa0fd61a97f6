import { describe, expect, it } from 'vitest'
import { detailFor } from './detail.ts'
import { drawn, isNearest, LEAST_MS, scaled, shifted } from './span.ts'

const DAY = 86_400_000
const NOW = 100 * DAY

describe('the range of a chart', () => {
  it('goes from a month to single readings, and no nearer than is useful', () => {
    let span = { from: NOW - 30 * DAY, to: NOW }
    const seen = [detailFor(span, { quantityKind: 'Temperature' }).kind]
    for (let i = 0; i < 20 && !isNearest(span); i++) {
      span = scaled(span, 0.5, NOW)
      seen.push(detailFor(span, { quantityKind: 'Temperature' }).kind)
    }
    expect([seen[0], seen.at(-1)]).toEqual(['buckets', 'raw'])
    expect(span.to - span.from).toBe(LEAST_MS)
    expect(scaled(span, 0.5, NOW)).toEqual(span)
  })

  it('comes back about the same middle', () => {
    const span = { from: NOW - 20 * DAY, to: NOW - 10 * DAY }
    expect(scaled(scaled(span, 0.5, NOW), 2, NOW)).toEqual(span)
  })

  it('does not show what is yet to come', () => {
    expect(shifted({ from: NOW - DAY, to: NOW }, 0.5, NOW)).toEqual({ from: NOW - DAY, to: NOW })
    expect(scaled({ from: NOW - DAY, to: NOW }, 2, NOW)).toEqual({ from: NOW - 2 * DAY, to: NOW })
    expect(shifted({ from: 10, to: 20 }, -0.5, NOW)).toEqual({ from: 5, to: 15 })
  })

  it('is widened where too little was drawn across the chart', () => {
    expect(drawn({ from: NOW - DAY, to: NOW - DAY + 2 }, NOW)).toEqual({
      from: NOW - DAY + 1 - LEAST_MS / 2,
      to: NOW - DAY + 1 + LEAST_MS / 2,
    })
  })
})
