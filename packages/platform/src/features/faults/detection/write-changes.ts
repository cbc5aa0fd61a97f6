import { randomUUID } from 'node:crypto'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Bus } from '../../../bus/index.ts'
import { type Outbox, outboundEvent } from '../../webhooks/index.ts'
import type { Change } from './changes.ts'
import { insertFaults, lockRules, type NewFault, namePoints, resolveFaults, type WatchKey } from './detection.store.ts'
import { ALARM, alarmFields, publishFault } from './fault-events.ts'
import { faultTitle } from './fault-title.ts'
import type { WatchList } from './watch-list.ts'

export interface WriteParts {
  db: Database
  clock: Clock
  bus: Bus
  outbox: Outbox
}

type Changed = [watch: number, change: Change]

/**
 * Writes the faults that began or ended, in one transaction. The transaction also writes the outbound events of the
 * faults that began. After the commit, these faults are published on the bus. If another process has written a fault
 * first, that process publishes it.
 */
export async function writeChanges(
  { db, clock, bus, outbox }: WriteParts,
  buildingId: string,
  list: WatchList,
  changes: readonly Changed[],
): Promise<void> {
  const at = clock.now()
  const keysOf = (some: readonly Changed[]): WatchKey[] =>
    some.map(([watch]) => ({ ruleId: ruleOf(list, watch).id, point: pointOf(list, watch) }))
  const begun = changes.filter(([, { begun }]) => begun !== null)
  const ended = keysOf(changes.filter(([, { ended }]) => ended))
  const over = keysOf(begun.filter(([, { isOver }]) => isOver))
  // Outbound events are prepared only if a webhook subscribes to alarms.
  const isWanted = begun.length > 0 && (await outbox.refreshed()).events.has(ALARM)
  const news = await db.transaction(async (tx) => {
    const rules = await lockRules(tx, [...new Set(keysOf(changes).map(({ ruleId }) => ruleId))])
    await resolveFaults(tx, buildingId, ended, at)
    const faults = (await newFaults(tx, list, begun)).filter(({ ruleId }) => rules.has(ruleId))
    const written = faults.length === 0 ? new Set() : await insertFaults(tx, buildingId, faults, at)
    const inserted = faults.filter(({ id }) => written.has(id))
    if (isWanted) {
      for (const fault of inserted) await outbox.put(tx, outboundEvent(ALARM, alarmFields(buildingId, fault, at), at))
    }
    await resolveFaults(tx, buildingId, over, at)
    return inserted
  })
  if (isWanted && news.length > 0) outbox.sent()
  for (const fault of news) publishFault(bus, buildingId, fault, at)
}

const ruleOf = (list: WatchList, watch: number) => list.rules[list.ruleOf[watch]!]!
const pointOf = (list: WatchList, watch: number) => list.points[list.slotOf[watch]!]!

/** The rows of the faults that have begun. Points that were deleted meanwhile are skipped. */
export async function newFaults(tx: Tx, list: WatchList, begun: readonly Changed[]): Promise<NewFault[]> {
  if (begun.length === 0) return []
  const points = begun.map(([watch]) => pointOf(list, watch))
  const names = await namePoints(tx, points)
  return begun.flatMap(([watch, change]) => {
    const named = names.get(pointOf(list, watch))
    if (named === undefined) return []
    const { id: ruleId, kind, severity, ...rule } = ruleOf(list, watch)
    const { point, pointId, elementId } = named
    const { value } = change.begun!
    const title = faultTitle({ ...rule, kind }, named, value)
    const made = { id: randomUUID(), alarmId: randomUUID(), ruleId, kind, severity, title }
    return { ...made, point, pointId, elementId, value }
  })
}
