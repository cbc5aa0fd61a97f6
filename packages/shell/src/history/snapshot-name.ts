import { parseInstant } from '@storey/contract'

const DAY = /^\d{4}-\d\d(-\d\d)?$/

/** Whether a name could be read as a revision or a time. The API checks the name again, and recognizes more formats. */
export function isNumberOrDate(name: string): boolean {
  const text = name.trim()
  return text !== '' && (Number.isFinite(Number(text)) || parseInstant(text) !== undefined || DAY.test(text))
}
