import {
  checkQuota,
  FAULT_RULE_SCOPE,
  type FaultRulePatch,
  type FaultRuleRecord,
  MAX_FAULT_WATCHES,
  type NewFaultRule,
  problems,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import { instantVersion, type Precondition } from '@storey/kit/http'
import { checkRule } from './check-rule.ts'
import { readGroups, readRules } from './detection/detection.store.ts'
import { countWatches } from './detection/watch-list.ts'
import {
  countRulesLocked,
  deleteRule,
  findRule,
  insertRule,
  lockRule,
  pointExists,
  type RuleColumns,
  type RulePlace,
  updateRule,
} from './fault-rules.store.ts'
import { resolveOfRule } from './faults.store.ts'

export interface RuleParts {
  db: Database
  clock: Clock
  /**
   * Called when the rules of a building have changed. Resolves when detection uses them, or has failed to load them.
   */
  onRules(buildingId: string): Promise<void>
}

const DEFAULTS = {
  enabled: true,
  pointId: null,
  pointName: null,
  quantityKind: null,
  unit: null,
  pointType: null,
  elementTypeSlug: null,
  above: null,
  below: null,
  durationSeconds: 0,
}

export async function createRule(parts: RuleParts, buildingId: string, body: NewFaultRule): Promise<FaultRuleRecord> {
  const { db, clock, onRules } = parts
  const { kind, ...given } = body
  const columns = lowerCased({ ...DEFAULTS, ...given })
  checkRule(kind, columns)
  const made = await db.transaction(async (tx) => {
    const count = await countRulesLocked(tx, buildingId)
    if (count === undefined) throw problems.notFound('building')
    await checkPoint(tx, buildingId, columns)
    checkQuota('faultRules', count)
    const rule = await insertRule(tx, { buildingId, kind, columns, at: clock.now() })
    await checkWatches(tx, rule)
    return rule
  })
  await onRules(made.buildingId)
  return made
}

export async function readRule(db: Database, place: RulePlace): Promise<FaultRuleRecord> {
  const rule = await findRule(db, place)
  if (!rule) throw problems.notFound('fault rule')
  return rule
}

export async function changeRule(
  parts: RuleParts,
  place: RulePlace,
  patch: FaultRulePatch,
  precondition: Precondition,
): Promise<FaultRuleRecord> {
  const { db, clock, onRules } = parts
  const changed = await db.transaction(async (tx) => {
    const rule = await requireRule(tx, place, precondition)
    const columns = lowerCased({ ...columnsOf(rule), ...patch })
    checkRule(rule.kind, columns)
    if (columns.pointId !== rule.pointId) await checkPoint(tx, rule.buildingId, columns)
    const written = await updateRule(tx, rule.id, columns, clock.now())
    if (!written.enabled) await resolveOfRule(tx, rule.id, clock.now())
    else if (!rule.enabled || FAULT_RULE_SCOPE.some((name) => written[name] !== rule[name])) {
      await checkWatches(tx, written)
    }
    return written
  })
  await onRules(changed.buildingId)
  return changed
}

export async function removeRule(
  { db, clock, onRules }: RuleParts,
  place: RulePlace,
  precondition: Precondition,
): Promise<void> {
  const rule = await db.transaction(async (tx) => {
    const kept = await requireRule(tx, place, precondition)
    await resolveOfRule(tx, kept.id, clock.now())
    await deleteRule(tx, kept)
    return kept
  })
  await onRules(rule.buildingId)
}

async function requireRule(tx: Tx, place: RulePlace, precondition: Precondition): Promise<FaultRuleRecord> {
  const rule = await lockRule(tx, place)
  if (!rule) throw problems.notFound('fault rule')
  precondition.check(instantVersion(rule.updatedAt))
  return rule
}

async function checkPoint(tx: Tx, buildingId: string, { pointId }: RuleColumns): Promise<void> {
  if (pointId === null || (await pointExists(tx, buildingId, pointId))) return
  throw problems.field('pointId', 'pointId is not a point of this building')
}

async function checkWatches(tx: Tx, { buildingId }: FaultRuleRecord): Promise<void> {
  const count = countWatches(await readRules(tx, buildingId), await readGroups(tx, buildingId))
  if (count <= MAX_FAULT_WATCHES) return
  const watched = `The rules of this building would watch ${count} points, each counted once for each of its rules`
  const detail = `${watched}, and at most ${MAX_FAULT_WATCHES} are allowed`
  throw problems.quotaExceeded('faultWatches', MAX_FAULT_WATCHES, count, detail)
}

function columnsOf(rule: FaultRuleRecord): RuleColumns {
  const { name, severity, enabled, pointId, pointName, quantityKind, unit, pointType, elementTypeSlug } = rule
  const { above, below, durationSeconds } = rule
  return {
    ...{ name, severity, enabled, pointId, pointName, quantityKind, unit, pointType, elementTypeSlug },
    ...{ above, below, durationSeconds },
  }
}

const lowerCased = (columns: RuleColumns): RuleColumns => ({
  ...columns,
  pointId: columns.pointId?.toLowerCase() ?? null,
})
