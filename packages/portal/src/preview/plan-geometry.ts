import type { Polygon } from '@storey/building'
import { labelArea } from '@storey/web'
import type { RoomPreview } from './preview.ts'

/** Flips the y axis, because it points up in the model of a building and down in SVG. */
export const pointsOf = (polygon: Polygon, depth: number): string =>
  polygon.map(([x, y]) => `${round(x)},${round(depth - y)}`).join(' ')

const round = (n: number) => Math.round(n * 100) / 100

export interface Label {
  x: number
  y: number
  lines: string[]
  size: number
}

/** Estimates for system fonts, relative to the font size. */
const LETTER_WIDTH = 0.66
const LINE_HEIGHT = 1.25

/** The label of a room: its name, or its number if the name does not fit; undefined if neither fits. */
export function labelOf(room: RoomPreview, depth: number, width: number): Label | undefined {
  const area = labelArea(room.polygon)
  if (!area) return undefined
  const size = width / 68
  const maxLetters = Math.floor((area.width * 0.94) / (size * LETTER_WIDTH))
  const maxLines = Math.floor((area.height * 0.9) / (size * LINE_HEIGHT))
  const name = room.name.replace(/ [A-Z]+\d*\.\d+$/, '')
  const lines = [name, room.code.split('-').at(-1)!]
    .map((text) => wrapText(text, maxLetters))
    .find((all) => all && all.length <= maxLines)
  if (!lines) return undefined
  return { x: round(area.x), y: round(depth - area.y), lines, size: round(size) }
}

/** The vertical offsets of the lines from the centre of the label. */
export const lineOffsets = ({ lines, size }: Label): number[] =>
  lines.map((_, at) => round((at - (lines.length - 1) / 2) * size * LINE_HEIGHT))

/** Splits a text into lines; undefined if a word is longer than a line. */
function wrapText(text: string, maxLetters: number): string[] | undefined {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    if (word.length > maxLetters) return undefined
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= maxLetters) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
