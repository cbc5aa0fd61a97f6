const ACTIVE = new Set(['1', 'true', 'on', 'active', 'alarm', 'fault'])

/** Whether a text means that an alarm is on. */
export const isActive = (text: string | undefined): boolean => text !== undefined && ACTIVE.has(text.toLowerCase())

/** The number of a value, or NaN for a text. A number is a text that JavaScript would print for it: `0.0` is none. */
export function numberOf(text: string): number {
  const value = Number(text)
  return Number.isFinite(value) && String(value) === text ? value : Number.NaN
}
