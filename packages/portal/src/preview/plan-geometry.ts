import type { Polygon } from '@storey/building'
import { textPlace } from '@storey/web'
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
  const place = textPlace(room.polygon)
  if (!place) return undefined
  const size = width / 68
  const letters = Math.floor((place.width * 0.94) / (size * LETTER))
  const most = Math.floor((place.height * 0.9) / (size * LINE))
  const name = room.name.replace(/ [A-Z]+\d*\.\d+$/, '')
  const lines = [name, room.code.split('-').at(-1)!]
    .map((text) => wrapped(text, letters))
    .find((all) => all && all.length <= most)
  if (!lines) return undefined
  return { x: round(place.x), y: round(depth - place.y), lines, size: round(size) }
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
