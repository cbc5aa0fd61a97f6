import { randomUUID } from 'node:crypto'
import type { AlarmTriggered, FaultCreated } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import type { Bus } from '../../../bus/bus.ts'
import { type Outbox, outboundEvent } from '../../../outbox/outbox.ts'
import type { Change } from './changes.ts'
import { insertFaults, type NewFault, namePoints, resolveFaults } from './detection.store.ts'
import { faultTitle } from './fault-title.ts'
import type { WatchList } from './watch-list.ts'

export interface KeepParts {
  db: Database
  clock: Clock
  bus: Bus
  outbox: Outbox
}

const ALARM = 'building.alarm.triggered'

/**
 * Writes what began and what ended, with what is to be told of it outside, in one transaction; then tells the bus. A
 * fault that is there already, because another process saw it first, is told by that one.
 */
export async function keepChanges(
  { db, clock, bus, outbox }: KeepParts,
  buildingId: string,
  list: WatchList,
  changes: readonly [watch: number, change: Change][],
): Promise<void> {
  const at = clock.now()
  const keyOf = (watch: number) => ({
    ruleId: list.rules[list.ruleOf[watch]!]!.id,
    point: list.points[list.slotOf[watch]!]!,
  })
  const ended = changes.filter(([, { ended }]) => ended).map(([watch]) => keyOf(watch))
  const over = changes.filter(([, { isOver }]) => isOver).map(([watch]) => keyOf(watch))
  const begun = changes.filter(([, { begun }]) => begun !== null)
  // Asked for once: a thousand faults that nobody subscribes to are not prepared for sending.
  const isWanted = begun.length > 0 && (await outbox.refreshed()).events.has(ALARM)
  const told = await db.transaction(async (tx) => {
    await resolveFaults(tx, ended, at)
    const faults = await newFaults(tx, list, begun)
    const written = faults.length === 0 ? new Set() : await insertFaults(tx, buildingId, faults, at)
    const news = faults.filter(({ id }) => written.has(id))
    if (isWanted) {
      for (const fault of news) await outbox.put(tx, outboundEvent(ALARM, alarmFields(buildingId, fault, at), at))
    }
    await resolveFaults(tx, over, at)
    return news
  })
  if (isWanted && told.length > 0) outbox.sent()
  for (const fault of told) {
    bus.publish(buildingId, 'building.fault.created', () => faultFields(buildingId, fault, at))
    bus.publish(buildingId, ALARM, () => alarmFields(buildingId, fault, at))
  }
}

/** A point that went meanwhile has no faults. */
async function newFaults(
  tx: Tx,
  list: WatchList,
  begun: readonly [watch: number, change: Change][],
): Promise<NewFault[]> {
  if (begun.length === 0) return []
  const pointOf = (watch: number) => list.points[list.slotOf[watch]!]!
  const names = await namePoints(
    tx,
    begun.map(([watch]) => pointOf(watch)),
  )
  return begun.flatMap(([watch, change]) => {
    const rule = list.rules[list.ruleOf[watch]!]!
    const point = names.get(pointOf(watch))
    if (point === undefined) return []
    const { value } = change.begun!
    return {
      id: randomUUID(),
      alarmId: randomUUID(),
      ruleId: rule.id,
      kind: rule.kind,
      severity: rule.severity,
      title: faultTitle(rule, point, value),
      point: point.point,
      pointId: point.pointId,
      elementId: point.elementId,
      value,
    }
  })
}

function faultFields(
  buildingId: string,
  { id, severity, title, elementId, pointId }: NewFault,
  at: Date,
): FaultCreated {
  return { faultId: id, buildingId, severity, title, detectedAt: at.toISOString(), elementId, pointId }
}

function alarmFields(buildingId: string, fault: NewFault, at: Date): AlarmTriggered {
  const { alarmId, id: faultId, severity, title, pointId, elementId, value } = fault
  return { buildingId, alarmId, faultId, severity, title, pointId, elementId, value, triggeredAt: at.toISOString() }
}
