import { randomUUID } from 'node:crypto'
import { printableJson } from '@storey/contract/printable'

/** The beginning of the strings that stand for numbers. It is random, so that no string of a response begins with it. */
const MARK = `${randomUUID()} `
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** Parses a valid JSON text. A number that JavaScript would print in another form becomes a string for `exactJson`. */
export function parseExact(text: string): unknown {
  const isKept = (token: string) => token.startsWith('"') || String(Number(token)) === token
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isKept(token) ? token : `"${MARK}${token}"`)))
}

/** The JSON text of a value of `parseExact`, with the numbers as they were. */
export const exactJson = (value: unknown, indent: number): string => printableJson(value, indent).replace(MARKED, '$1')
