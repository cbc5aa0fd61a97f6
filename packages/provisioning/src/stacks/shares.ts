import type { Entry } from './stack-entry.ts'

export const ownerOf = (of: Entry | { owner: string }): string => ('owner' in of ? of.owner : of.sandbox.organizationId)

/** Returns a function that counts the stacks in `placed` that have the same owner as a given stack or request. */
export function countStacks(placed: readonly Entry[]): (of: Entry | { owner: string }) => number {
  const counts = new Map<string, number>()
  for (const entry of placed) counts.set(ownerOf(entry), (counts.get(ownerOf(entry)) ?? 0) + 1)
  return (of) => counts.get(ownerOf(of)) ?? 0
}

/**
 * How many stacks each owner may have when all capacity is used: the number of stacks that now occupy capacity, divided
 * by the number of owners whose callers use or lately used a stack (`called`) or wait for one; at least 1. Clients
 * without a valid credential do not count, because they can wake any stack.
 */
export function shareOf(entries: readonly Entry[], called: readonly Entry[], waitingOwner: string): number {
  const waiting = entries.filter(
    ({ state, isAdmitted, uses }) =>
      state === 'starting' && !isAdmitted && [...uses].some(({ isVerified }) => isVerified),
  )
  const owners = new Set([waitingOwner, ...[...called, ...waiting].map(ownerOf)])
  const capacity = entries.filter(({ state, isAdmitted }) => isAdmitted && state !== 'waiting').length
  return Math.max(1, Math.floor(capacity / owners.size))
}
