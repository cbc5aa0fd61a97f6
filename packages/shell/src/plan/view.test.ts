import { describe, expect, it } from 'vitest'
import { clampView, fitView, moveView, revealIn, viewBoxOf, zoomView } from './view.ts'

const box = { x: 0, y: 0, width: 40, height: 20 }
const view = { x: 20, y: 10, scale: 10 }

describe('the view of a plan', () => {
  it('fits the whole storey with a margin', () => {
    const { x, y, scale } = fitView(box, 800, 600)
    expect([x, y]).toEqual([20, 10])
    expect(scale).toBeGreaterThan(18)
    expect(scale).toBeLessThan(20)
  })

  it('leaves space at the bottom for the scale bar', () => {
    const { y, scale } = fitView(box, 800, 300, 40)
    const lowest = (box.y + box.height - y) * scale + 150
    expect(lowest).toBeLessThan(260)
    expect(lowest).toBeGreaterThan(240)
  })

  it('keeps the position under the pointer while zooming', () => {
    const at = { dx: 120, dy: -40 }
    const next = zoomView(view, 2.5, at, 1)
    expect(next.x + at.dx / next.scale).toBeCloseTo(view.x + at.dx / view.scale)
    expect(next.y + at.dy / next.scale).toBeCloseTo(view.y + at.dy / view.scale)
  })

  it('zooms out at most to the whole storey', () => {
    expect(zoomView(view, 0.01, { dx: 0, dy: 0 }, 7).scale).toBe(7)
  })

  it('moves with the pointer', () => {
    expect(moveView(view, 50, -20)).toEqual({ x: 15, y: 12, scale: 10 })
  })

  it('keeps its centre over the building', () => {
    expect(clampView({ x: 999, y: -999, scale: 10 }, box)).toEqual({ x: 40, y: 0, scale: 10 })
  })

  it('moves as little as needed to reveal a room', () => {
    expect(revealIn(view, 21, 10, 400, 300)).toEqual(view)
    const { x } = revealIn(view, 80, 10, 400, 300)
    expect(Math.abs(80 - x)).toBeLessThan(20)
  })

  it('becomes a viewBox in metres', () => {
    expect(viewBoxOf(view, 400, 200)).toBe('0.0000 0.0000 40.0000 20.0000')
  })
})
