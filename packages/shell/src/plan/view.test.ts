import { describe, expect, it } from 'vitest'
import { fitted, kept, moved, revealing, viewBoxOf, zoomed } from './view.ts'

const box = { x: 0, y: 0, width: 40, height: 20 }
const view = { x: 20, y: 10, scale: 10 }

describe('the view of a plan', () => {
  it('holds the whole storey, with a margin', () => {
    const { x, y, scale } = fitted(box, 800, 600)
    expect([x, y]).toEqual([20, 10])
    expect(scale).toBeGreaterThan(18)
    expect(scale).toBeLessThan(20)
  })

  it('keeps the place under the pointer where it is while it zooms', () => {
    const at = { dx: 120, dy: -40 }
    const next = zoomed(view, 2.5, at, 1)
    expect(next.x + at.dx / next.scale).toBeCloseTo(view.x + at.dx / view.scale)
    expect(next.y + at.dy / next.scale).toBeCloseTo(view.y + at.dy / view.scale)
  })

  it('goes no farther than the whole storey', () => {
    expect(zoomed(view, 0.01, { dx: 0, dy: 0 }, 7).scale).toBe(7)
  })

  it('follows the hand', () => {
    expect(moved(view, 50, -20)).toEqual({ x: 15, y: 12, scale: 10 })
  })

  it('does not lose the building', () => {
    expect(kept({ x: 999, y: -999, scale: 10 }, box)).toEqual({ x: 40, y: 0, scale: 10 })
  })

  it('moves only as far as it takes to see a room', () => {
    expect(revealing(view, 21, 10, 400, 300)).toEqual(view)
    const { x } = revealing(view, 80, 10, 400, 300)
    expect(Math.abs(80 - x)).toBeLessThan(20)
  })

  it('is told to the drawing in metres', () => {
    expect(viewBoxOf(view, 400, 200)).toBe('0.0000 0.0000 40.0000 20.0000')
  })
})
