import type { Changes } from './changes.ts'
import type { WatchList } from './watch-list.ts'

/**
 * Finds points from which nothing was received for too long. An observation counts from the time at which it arrives,
 * not from its timestamp; one that is older than the newest observation of its point does not count (`observe.ts`). A
 * point without observations since the rule was created is ignored. If the whole building sends nothing, default rules
 * report no point, since the cause is probably the source of all its observations and not the points. When the building
 * sends again, the durations of default rules start again.
 */
export function findSilent(list: WatchList, now: number, changes: Changes): void {
  const { silent, ruleOf, slotOf, isOpen, receivedAt, durationMs, feedSince, rules, buildingReceivedAt } = list
  for (const watch of silent) {
    if (isOpen[watch] === 1) continue
    const ruleIndex = ruleOf[watch]!
    const rule = rules[ruleIndex]!
    const duration = durationMs[ruleIndex]!
    const received = receivedAt[slotOf[watch]!]!
    if (received < rule.createdAtMs) continue
    if (rule.isDefault && now - buildingReceivedAt >= duration / 2) continue
    const from = rule.isDefault ? Math.max(received, feedSince[ruleIndex]!) : received
    if (now - from >= duration) changes.beginWith(watch, null)
  }
}

/**
 * The first time at which a point counts as silent if the building sends nothing until then; infinite if there is none.
 * Default rules are ignored, because they report no point while the whole building sends nothing.
 */
export function nextSilence(list: WatchList): number {
  const { silent, ruleOf, slotOf, isOpen, receivedAt, durationMs, rules } = list
  let next = Number.POSITIVE_INFINITY
  for (const watch of silent) {
    const rule = rules[ruleOf[watch]!]!
    const received = receivedAt[slotOf[watch]!]!
    if (isOpen[watch] === 1 || rule.isDefault || received < rule.createdAtMs) continue
    next = Math.min(next, received + durationMs[ruleOf[watch]!]!)
  }
  return next
}
