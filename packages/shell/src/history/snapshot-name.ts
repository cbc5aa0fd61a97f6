import { parseInstant } from '@storey/contract'

const DAY = /^\d{4}-\d\d(-\d\d)?$/

/**
 * Whether a name would be taken for a revision or an instant, as the API sees it. It knows more forms, and has the last
 * word.
 */
export function readsAsMoment(name: string): boolean {
  const text = name.trim()
  return text !== '' && (Number.isFinite(Number(text)) || parseInstant(text) !== undefined || DAY.test(text))
}
