export type Direction = 'left' | 'right' | 'up' | 'down'

export interface Placed {
  id: string
  x: number
  y: number
}

const AXES: Record<Direction, readonly [along: 'x' | 'y', sign: 1 | -1]> = {
  left: ['x', -1],
  right: ['x', 1],
  up: ['y', -1],
  down: ['y', 1],
}

/** The room that an arrow key leads to: the nearest one ahead, where going sideways counts double. */
export function neighbour<T extends Placed>(places: readonly T[], from: T, direction: Direction): T | undefined {
  const [along, sign] = AXES[direction]
  const across = along === 'x' ? 'y' : 'x'
  let best: T | undefined
  let least = Infinity
  for (const place of places) {
    const ahead = (place[along] - from[along]) * sign
    if (place.id === from.id || ahead <= 0.01) continue
    const cost = ahead + 2 * Math.abs(place[across] - from[across])
    if (cost < least) {
      best = place
      least = cost
    }
  }
  return best
}
