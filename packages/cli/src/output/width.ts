const WIDE = /\p{Extended_Pictographic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u

const characters = new Intl.Segmenter()

/** East Asian characters and emoji take two columns of a terminal. */
const columnsOf = (character: string): number => (WIDE.test(character) ? 2 : 1)

/** The number of columns that a text takes on a terminal. */
export function width(text: string): number {
  let columns = 0
  for (const { segment } of characters.segment(text)) columns += columnsOf(segment)
  return columns
}

/** The beginning of a text, in at most this number of columns. */
export function cutToWidth(text: string, columns: number): string {
  let left = columns
  for (const { segment, index } of characters.segment(text)) {
    left -= columnsOf(segment)
    if (left < 0) return text.slice(0, index)
  }
  return text
}
