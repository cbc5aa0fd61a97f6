const ACTIVE = new Set(['1', 'true', 'on', 'active', 'alarm', 'fault'])

/** Whether a word says that an alarm is on. */
export const isActive = (text: string | undefined): boolean => text !== undefined && ACTIVE.has(text.toLowerCase())

/** The number that a value was told as; NaN where it is a word. Numbers are told as JavaScript writes them. */
export function numberOf(text: string): number {
  const value = Number(text)
  return Number.isFinite(value) && String(value) === text ? value : Number.NaN
}
