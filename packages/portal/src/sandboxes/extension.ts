import { LIMITS } from '@storey/contract'

const DAY_MS = 86_400_000

/** How many whole days can be added: a sandbox may expire at most 30 days from now. */
export function maxDays(expiresAt: string, now: number): number {
  const latest = now + LIMITS.sandbox.ttlDays.max * DAY_MS
  return Math.max(0, Math.floor((latest - Date.parse(expiresAt)) / DAY_MS))
}

export const addDays = (expiresAt: string, days: number): Date => new Date(Date.parse(expiresAt) + days * DAY_MS)
