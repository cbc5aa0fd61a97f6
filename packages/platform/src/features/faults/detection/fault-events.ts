import type { AlarmTriggered, FaultCreated } from '@storey/contract'
import type { Bus } from '../../../bus/index.ts'
import type { NewFault } from './detection.store.ts'

export const ALARM = 'building.alarm.triggered'

/** Publishes the events of a new fault on the bus. */
export function publishFault(bus: Bus, buildingId: string, fault: NewFault, at: Date): void {
  bus.publish(buildingId, 'building.fault.created', () => faultFields(buildingId, fault, at))
  bus.publish(buildingId, ALARM, () => alarmFields(buildingId, fault, at))
}

function faultFields(
  buildingId: string,
  { id, severity, title, elementId, pointId }: NewFault,
  at: Date,
): FaultCreated {
  return { faultId: id, buildingId, severity, title, detectedAt: at.toISOString(), elementId, pointId }
}

export function alarmFields(buildingId: string, fault: NewFault, at: Date): AlarmTriggered {
  const { alarmId, id: faultId, severity, title, pointId, elementId, value } = fault
  return { buildingId, alarmId, faultId, severity, title, pointId, elementId, value, triggeredAt: at.toISOString() }
}
