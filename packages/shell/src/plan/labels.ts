import type { LabelArea } from '@storey/web'

/** A line of a room label; `size` is in pixels. */
export interface Line {
  text: string
  size: number
  isValue: boolean
}

const NAME_PX = { max: 11.5, min: 9.5 }
const VALUE_PX = { max: 13, min: 9 }
/** The width of a letter relative to the font size, estimated for system fonts. */
const LETTER_WIDTH = 0.56
const BOLD_WIDTH = 0.64
/** Cyrillic letters are wider than Latin ones. */
const CYRILLIC_FACTOR = 1.14
/** The width of capitals and symbols. */
const WIDE_WIDTH = 0.88
const EMOJI_WIDTH = 1.4
const isNarrow = (letter: string) => /[\p{Ll}\p{Nd}\s.,:;'’()/-]/u.test(letter)
export const LINE_HEIGHT = 1.2

const widthOf = (text: string, letterWidth: number) =>
  text.length * letterWidth * (/\p{Script=Cyrillic}/u.test(text) ? CYRILLIC_FACTOR : 1)

/**
 * The lines that fit into a room. The value has priority. Then comes the name in one or two lines, or the code if the
 * name does not fit.
 */
export function linesFor(
  area: LabelArea,
  pixelsPerMetre: number,
  texts: { value: string | undefined; name: string; code: string },
): Line[] {
  const width = area.width * pixelsPerMetre - 8
  let height = area.height * pixelsPerMetre - 3
  const fit = (text: string | undefined, px: typeof NAME_PX, letterWidth: number): Line | undefined => {
    if (!text) return undefined
    const size = Math.min(px.max, width / widthOf(text, letterWidth), height / LINE_HEIGHT)
    return size >= px.min ? { text, size, isValue: px === VALUE_PX } : undefined
  }
  const value = fit(texts.value, VALUE_PX, BOLD_WIDTH) ?? truncate(texts.value, width, height)
  if (value) height -= value.size * LINE_HEIGHT
  const wrapped = () => {
    const halves = halvesOf(texts.name)
    const longer = halves?.toSorted((a, b) => b.length - a.length)[0]
    height /= 2
    const fitted = fit(longer, NAME_PX, LETTER_WIDTH)
    height *= 2
    return fitted && halves!.map((text) => ({ ...fitted, text }))
  }
  const whole = (text: string) => {
    const fitted = fit(text, NAME_PX, LETTER_WIDTH)
    return fitted && [fitted]
  }
  const name = whole(texts.name) ?? wrapped() ?? whole(texts.code) ?? []
  return value ? [...name, value] : name
}

/** The name in two lines of about the same length; undefined if it is one word. */
function halvesOf(name: string): [string, string] | undefined {
  const words = name.split(/\s+/)
  let best: [string, string] | undefined
  for (let i = 1; i < words.length; i++) {
    const halves: [string, string] = [words.slice(0, i).join(' '), words.slice(i).join(' ')]
    const longest = (pair: readonly string[]) => Math.max(...pair.map(({ length }) => length))
    if (!best || longest(halves) < longest(best)) best = halves
  }
  return best
}

/** A shorter truncated text would be useless. */
const MIN_LETTERS = 3
/** Numbers are not truncated, because the beginning of a number is another number. */
const isNumber = (text: string) => /^[-−+]?\d[\d.,\s]*(e[-+]\d+)?$/i.test(text)

/** The beginning of a text that does not fit, in the smallest size. */
function truncate(text: string | undefined, width: number, height: number): Line | undefined {
  if (!text || isNumber(text) || height / LINE_HEIGHT < VALUE_PX.min) return undefined
  const size = VALUE_PX.min
  // Reserves space for the ellipsis.
  let left = width / size - WIDE_WIDTH
  let start = ''
  for (const letter of text) {
    left -= isNarrow(letter) ? BOLD_WIDTH : letter.length > 1 ? EMOJI_WIDTH : WIDE_WIDTH
    if (left < 0) break
    start += letter
  }
  return start.length < MIN_LETTERS ? undefined : { text: `${start.trimEnd()}…`, size, isValue: true }
}
