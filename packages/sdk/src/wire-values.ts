// Written by scripts/write-wire.ts from the contract: change the schema there, and regenerate this file.

export const VERSION = '1.14.0' as const

export const LIVE_NAMESPACE = '/buildings' as const

export const LIVE_EVENTS = [
  'building.point.updated',
  'building.alarm.triggered',
  'building.element.status_changed',
  'building.changeset.applied',
  'wifi-sensing.event',
  'wifi-sensing.occupancy.changed',
  'wifi-sensing.hvac.presence',
  'wifi-sensing.meeting.lifecycle',
] as const

export const CHANGES_NAMESPACE = '/changes' as const

export const CHANGED = 'changed' as const

export const CHANGE_KINDS = [
  'graph',
  'layers',
  'faults',
  'changesets',
  'requests',
  'snapshots',
  'imports',
  'simulation',
  'webhooks',
  'people',
] as const

export const WEBHOOK_HEADERS = {
  signature: 'x-svc-signature',
  previousSignature: 'x-svc-signature-previous',
  idempotencyKey: 'x-svc-idempotency-key',
  attempt: 'x-svc-delivery-attempt',
  standardId: 'webhook-id',
  standardTimestamp: 'webhook-timestamp',
  standardSignature: 'webhook-signature',
} as const
