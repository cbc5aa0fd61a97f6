/**
 * Characters that must not reach a terminal in text that other people or programs wrote: control characters except tab
 * and line feed (a terminal can execute them as commands), the line and paragraph separators of Unicode, and its
 * bidirectional embeddings, overrides and isolates, which change the direction of text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the functions below escape these characters
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g
const BEYOND_ASCII = /[\u007f-\uffff]/
const LINE_ENDS_AND_TABS = /[\t\n]/g

/** A text of several lines, with an escape such as `\u009b` for each unprintable character. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

/** A text in one line. Line ends and tabs are escaped too, so that the text can forge neither a line nor a column. */
export const printableLine = (text: string): string => printable(text).replace(LINE_ENDS_AND_TABS, escaped)

/**
 * A value as JSON without unprintable characters. They occur in JSON only inside strings, where an escape means the
 * same character.
 */
export function printableJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent)
  // JSON.stringify escapes the control characters below U+0020 itself.
  return BEYOND_ASCII.test(json) ? printable(json) : json
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
