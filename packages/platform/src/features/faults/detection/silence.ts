import type { Changes } from './changes.ts'
import type { WatchList } from './watch-list.ts'

/**
 * Points that have said nothing for too long, by the clock. One that has not spoken since the rule was made is not
 * waited for. The rules that came with a building look at it as a whole: when nothing at all is heard it is the feed that
 * has ended, not every sensor, and when it comes back they start anew.
 */
export function findSilent(list: WatchList, now: number, changes: Changes): void {
  const { silent, ruleOf, slotOf, isOpen, heardAt, durationMs, feedSince, rules, buildingHeardAt } = list
  for (const watch of silent) {
    if (isOpen[watch] === 1) continue
    const place = ruleOf[watch]!
    const rule = rules[place]!
    const duration = durationMs[place]!
    const heard = heardAt[slotOf[watch]!]!
    if (heard < rule.createdAtMs) continue
    if (rule.isDefault && now - buildingHeardAt >= duration / 2) continue
    const from = rule.isDefault ? Math.max(heard, feedSince[place]!) : heard
    if (now - from >= duration) changes.beginWith(watch, null)
  }
}

/** When the next point that a rule of the tenant's own waits for would be silent. */
export function nextSilence(list: WatchList): number {
  const { silent, ruleOf, slotOf, isOpen, heardAt, durationMs, rules } = list
  let next = Number.POSITIVE_INFINITY
  for (const watch of silent) {
    const rule = rules[ruleOf[watch]!]!
    const heard = heardAt[slotOf[watch]!]!
    if (isOpen[watch] === 1 || rule.isDefault || heard < rule.createdAtMs) continue
    next = Math.min(next, heard + durationMs[ruleOf[watch]!]!)
  }
  return next
}
