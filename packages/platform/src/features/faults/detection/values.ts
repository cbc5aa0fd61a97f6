const ACTIVE = new Set(['1', 'true', 'on', 'active', 'alarm', 'fault'])

/** Whether a text means that an alarm is on. */
export const isActive = (text: string | undefined): boolean => text !== undefined && ACTIVE.has(text.toLowerCase())

/** The number of a value, or NaN for a text. A number must have the form that JavaScript prints: `0.0` is a text. */
export function numberOf(text: string): number {
  const value = Number(text)
  return Number.isFinite(value) && String(value) === text ? value : Number.NaN
}
