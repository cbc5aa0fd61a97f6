import type { TextPlace } from './geometry.ts'

/** A line of text in a room: what it says, and how large, in pixels. */
export interface Line {
  text: string
  size: number
}

const NAME_PX = { most: 11.5, least: 9.5 }
const VALUE_PX = { most: 13, least: 9 }
/** Of the height, for the letters of a system's font. */
const LETTER_WIDTH = 0.56
const BOLD_WIDTH = 0.64
const LINE_HEIGHT = 1.2

/** The lines that fit into a room at this scale: its value first, then its name, or else its code. */
export function linesFor(
  place: TextPlace,
  pixelsPerMetre: number,
  texts: { value: string | undefined; name: string; code: string },
): Line[] {
  const width = place.width * pixelsPerMetre - 8
  let height = place.height * pixelsPerMetre - 3
  const fit = (text: string | undefined, px: { most: number; least: number }, letter: number): Line | undefined => {
    if (!text) return undefined
    const size = Math.min(px.most, width / (text.length * letter), height / LINE_HEIGHT)
    return size >= px.least ? { text, size } : undefined
  }
  const value = fit(texts.value, VALUE_PX, BOLD_WIDTH)
  if (value) height -= value.size * LINE_HEIGHT
  // A code alone beside a value says little more than the value.
  const name = fit(texts.name, NAME_PX, LETTER_WIDTH) ?? fit(texts.code, NAME_PX, LETTER_WIDTH)
  return [name, value].filter((line) => line !== undefined)
}
