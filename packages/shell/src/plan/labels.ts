import type { TextPlace } from '@storey/web'

/** A line of text in a room: what it says, and how large, in pixels. */
export interface Line {
  text: string
  size: number
  isValue: boolean
}

const NAME_PX = { most: 11.5, least: 9.5 }
const VALUE_PX = { most: 13, least: 9 }
/** Of the height, for the letters of a system's font. */
const LETTER_WIDTH = 0.56
const BOLD_WIDTH = 0.64
/** Capitals and signs are wide. */
const WIDE_WIDTH = 0.88
const PICTURE_WIDTH = 1.4
const isNarrow = (letter: string) => /[\p{Ll}\p{Nd}\s.,:;'’()/-]/u.test(letter)
const LINE_HEIGHT = 1.2

/** The lines that fit into a room at this scale: its value first, then its name, or else its code. */
export function linesFor(
  place: TextPlace,
  pixelsPerMetre: number,
  texts: { value: string | undefined; name: string; code: string },
): Line[] {
  const width = place.width * pixelsPerMetre - 8
  let height = place.height * pixelsPerMetre - 3
  const fit = (text: string | undefined, px: typeof NAME_PX, letter: number): Line | undefined => {
    if (!text) return undefined
    const size = Math.min(px.most, width / (text.length * letter), height / LINE_HEIGHT)
    return size >= px.least ? { text, size, isValue: px === VALUE_PX } : undefined
  }
  const value = fit(texts.value, VALUE_PX, BOLD_WIDTH) ?? shortened(texts.value, width, height)
  if (value) height -= value.size * LINE_HEIGHT
  // A code alone beside a value says little more than the value.
  const name = fit(texts.name, NAME_PX, LETTER_WIDTH) ?? fit(texts.code, NAME_PX, LETTER_WIDTH)
  return [name, value].filter((line) => line !== undefined)
}

/** Fewer letters of a text say nothing. */
const LEAST_LETTERS = 3
/** A part of a number is another number. */
const isNumber = (text: string) => /^[-−+]?\d[\d.,\s]*(e[-+]\d+)?$/i.test(text)

/** The beginning of a text that does not fit, as small as it may be. */
function shortened(text: string | undefined, width: number, height: number): Line | undefined {
  if (!text || isNumber(text) || height / LINE_HEIGHT < VALUE_PX.least) return undefined
  const size = VALUE_PX.least
  // The three dots are as wide as a letter.
  let left = width / size - WIDE_WIDTH
  let start = ''
  for (const letter of text) {
    left -= isNarrow(letter) ? BOLD_WIDTH : letter.length > 1 ? PICTURE_WIDTH : WIDE_WIDTH
    if (left < 0) break
    start += letter
  }
  return start.length < LEAST_LETTERS ? undefined : { text: `${start.trimEnd()}…`, size, isValue: true }
}
