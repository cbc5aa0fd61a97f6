import type { DataLayer } from '@storey/sdk'
import { type DecimalMark, readNumber, readYesOrNo } from '../table-input/read-cell.ts'
import type { ValueRule } from './value-rule.ts'

export type Value = number | string | boolean

/** Why a cell is not a value of the layer. */
export type ValueProblem =
  | { reason: 'notNumber' | 'notYesOrNo' | 'notWhole' }
  | { reason: 'tooSmall' | 'tooLarge' | 'tooLong'; limit: number }
  | { reason: 'notAChoice'; choices: readonly string[] }

/** The value of a cell, checked by the rule of the layer. The API checks every value again. */
export function readValue(
  text: string,
  valueType: DataLayer['valueType'],
  rule: ValueRule,
  decimalMark: DecimalMark,
): { value: Value } | ValueProblem {
  if (valueType === 'BOOLEAN') {
    const value = readYesOrNo(text)
    return value === undefined ? { reason: 'notYesOrNo' } : { value }
  }
  if (valueType === 'NUMBER') {
    const value = readNumber(text, decimalMark)
    return Number.isFinite(value) ? checkNumber(value, rule) : { reason: 'notNumber' }
  }
  if (rule.kind === 'choices') {
    const { values: choices } = rule
    const folded = choices.filter((choice) => choice.toLowerCase() === text.toLowerCase())
    const choice = choices.find((one) => one === text) ?? (folded.length === 1 ? folded[0] : undefined)
    return choice === undefined ? { reason: 'notAChoice', choices } : { value: choice }
  }
  // JSON Schema measures the length of a text in code points.
  if (rule.kind === 'text' && [...text].length > rule.maxLength) return { reason: 'tooLong', limit: rule.maxLength }
  return { value: text }
}

function checkNumber(value: number, rule: ValueRule): { value: number } | ValueProblem {
  if (rule.kind !== 'number') return { value }
  const { min, max, isWhole } = rule
  if (isWhole && !Number.isInteger(value)) return { reason: 'notWhole' }
  if (min !== undefined && value < min) return { reason: 'tooSmall', limit: min }
  if (max !== undefined && value > max) return { reason: 'tooLarge', limit: max }
  return { value }
}
