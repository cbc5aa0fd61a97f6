import type {
  AlarmTriggered,
  HvacPresence,
  MeetingLifecycle,
  OccupancyChanged,
  PointUpdated,
  WifiSensed,
} from '../wire.ts'
import { LIVE_EVENTS } from '../wire-values.ts'

/**
 * The events of the live channel by name. `building.element.status_changed` and `building.changeset.applied` are
 * defined but not sent yet.
 *
 * @stable
 */
export interface LiveEvents {
  'building.point.updated': PointUpdated
  'building.alarm.triggered': AlarmTriggered
  'building.element.status_changed': { buildingId: string; [field: string]: unknown }
  'building.changeset.applied': { buildingId: string; [field: string]: unknown }
  'wifi-sensing.event': WifiSensed
  'wifi-sensing.occupancy.changed': OccupancyChanged
  'wifi-sensing.hvac.presence': HvacPresence
  'wifi-sensing.meeting.lifecycle': MeetingLifecycle
}

export type LiveEventName = keyof LiveEvents

/** All names, in the order of the contract. */
export const LIVE_EVENT_NAMES: readonly LiveEventName[] = LIVE_EVENTS
