export type Direction = 'left' | 'right' | 'up' | 'down'

export interface Positioned {
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

/** The nearest room in the direction of an arrow key; sideways distance counts double. */
export function neighbour<T extends Positioned>(rooms: readonly T[], from: T, direction: Direction): T | undefined {
  const [along, sign] = AXES[direction]
  const across = along === 'x' ? 'y' : 'x'
  let best: T | undefined
  let minCost = Infinity
  for (const room of rooms) {
    const ahead = (room[along] - from[along]) * sign
    if (room.id === from.id || ahead <= 0.01) continue
    const cost = ahead + 2 * Math.abs(room[across] - from[across])
    if (cost < minCost) {
      best = room
      minCost = cost
    }
  }
  return best
}
