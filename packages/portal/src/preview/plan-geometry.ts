import type { Polygon } from '@storey/building'
import type { RoomPreview } from './preview.ts'

/** Plans have their y upwards, screens downwards. */
export const pointsOf = (polygon: Polygon, depth: number): string =>
  polygon.map(([x, y]) => `${round(x)},${round(depth - y)}`).join(' ')

const round = (n: number) => Math.round(n * 100) / 100

export interface Label {
  x: number
  y: number
  lines: string[]
  size: number
}

/** Widths of a letter, and heights of a line, for a letter of height one, in the fonts that a system has. */
const LETTER = 0.66
const LINE = 1.25

/** The name of a room where there is space for it, else its number; undefined where neither can be read. */
export function labelOf(room: RoomPreview, depth: number, width: number): Label | undefined {
  const box = largestBox(room.polygon)
  const size = width / 68
  const letters = Math.floor((box.width * 0.94) / (size * LETTER))
  const most = Math.floor((box.height * 0.9) / (size * LINE))
  const name = room.name.replace(/ [A-Z]+\d*\.\d+$/, '')
  const lines = [name, room.code.split('-').at(-1)!]
    .map((text) => wrapped(text, letters))
    .find((all) => all && all.length <= most)
  if (!lines) return undefined
  return { x: round(box.x + box.width / 2), y: round(depth - (box.y + box.height / 2)), lines, size: round(size) }
}

/** Where the lines of a label stand, around its middle. */
export const lineOffsets = ({ lines, size }: Label): number[] =>
  lines.map((_, at) => round((at - (lines.length - 1) / 2) * size * LINE))

/** A text in lines of so many letters; undefined where a word is longer. */
function wrapped(text: string, letters: number): string[] | undefined {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    if (word.length > letters) return undefined
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** The widest box between the corners that lies inside: rooms have right angles, and some are an L. */
function largestBox(polygon: Polygon): Box {
  const xs = [...new Set(polygon.map(([x]) => x))].sort((a, b) => a - b)
  const ys = [...new Set(polygon.map(([, y]) => y))].sort((a, b) => a - b)
  let best: Box = { x: xs[0]!, y: ys[0]!, width: 0, height: 0 }
  if (polygon.length > 24) return best
  for (const [i, left] of xs.entries()) {
    for (const right of xs.slice(i + 1)) {
      for (const [j, low] of ys.entries()) {
        for (const high of ys.slice(j + 1)) {
          const box = { x: left, y: low, width: right - left, height: high - low }
          const isLarger = box.width * box.height > best.width * best.height
          if (isLarger && isInside(polygon, box, xs, ys)) best = box
        }
      }
    }
  }
  return best
}

/** Every cell that the corners cut the box into has its middle inside. */
function isInside(polygon: Polygon, box: Box, xs: readonly number[], ys: readonly number[]): boolean {
  const columns = xs.filter((x) => x >= box.x && x <= box.x + box.width)
  const rows = ys.filter((y) => y >= box.y && y <= box.y + box.height)
  for (let i = 1; i < columns.length; i++) {
    for (let j = 1; j < rows.length; j++) {
      if (!holds(polygon, (columns[i - 1]! + columns[i]!) / 2, (rows[j - 1]! + rows[j]!) / 2)) return false
    }
  }
  return true
}

function holds(polygon: Polygon, x: number, y: number): boolean {
  let isIn = false
  for (const [at, [x1, y1]] of polygon.entries()) {
    const [x2, y2] = polygon[(at + 1) % polygon.length]!
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn
  }
  return isIn
}
