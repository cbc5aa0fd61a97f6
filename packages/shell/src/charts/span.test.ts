import { describe, expect, it } from 'vitest'
import { detailsFor } from './detail.ts'
import { isMaxZoom, MIN_SPAN_MS, type Span, scaleSpan, selectedSpan, shiftSpan } from './span.ts'

const DAY = 86_400_000
const NOW = 100 * DAY

const kindOf = (span: Span) => detailsFor(span, [{ quantityKind: 'Temperature' }])[0]!.kind

describe('the time span of a chart', () => {
  it('zooms from a month to raw readings, down to the shortest span', () => {
    let span = { from: NOW - 30 * DAY, to: NOW }
    const seen = [kindOf(span)]
    for (let i = 0; i < 20 && !isMaxZoom(span); i++) {
      span = scaleSpan(span, 0.5, NOW)
      seen.push(kindOf(span))
    }
    expect([seen[0], seen.at(-1)]).toEqual(['buckets', 'raw'])
    expect(span.to - span.from).toBe(MIN_SPAN_MS)
    expect(scaleSpan(span, 0.5, NOW)).toEqual(span)
  })

  it('zooms in and out around the same centre', () => {
    const span = { from: NOW - 20 * DAY, to: NOW - 10 * DAY }
    expect(scaleSpan(scaleSpan(span, 0.5, NOW), 2, NOW)).toEqual(span)
  })

  it('does not extend into the future', () => {
    expect(shiftSpan({ from: NOW - DAY, to: NOW }, 0.5, NOW)).toEqual({ from: NOW - DAY, to: NOW })
    expect(scaleSpan({ from: NOW - DAY, to: NOW }, 2, NOW)).toEqual({ from: NOW - 2 * DAY, to: NOW })
    expect(shiftSpan({ from: 10, to: 20 }, -0.5, NOW)).toEqual({ from: 5, to: 15 })
  })

  it('is widened to the shortest span if the selection is shorter', () => {
    expect(selectedSpan({ from: NOW - DAY, to: NOW - DAY + 2 }, NOW)).toEqual({
      from: NOW - DAY + 1 - MIN_SPAN_MS / 2,
      to: NOW - DAY + 1 + MIN_SPAN_MS / 2,
    })
  })
})
