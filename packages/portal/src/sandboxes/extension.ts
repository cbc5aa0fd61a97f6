import { LIMITS } from '@storey/contract'

const DAY_MS = 86_400_000

/** Whole days that may be added now: the end lies 30 days ahead at the most. */
export function mostDays(expiresAt: string, now: number): number {
  const latest = now + LIMITS.sandbox.ttlDays.max * DAY_MS
  return Math.max(0, Math.floor((latest - Date.parse(expiresAt)) / DAY_MS))
}

export const movedBy = (expiresAt: string, days: number): Date => new Date(Date.parse(expiresAt) + days * DAY_MS)
