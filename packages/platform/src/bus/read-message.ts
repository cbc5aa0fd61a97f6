import {
  AlarmTriggered,
  type BusEventName,
  EVENT_NAMES,
  FaultCreated,
  PointUpdated,
  STACK_CHANGED,
  StackChanged,
} from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'
import type { BusEvent } from './bus.ts'

const names: ReadonlySet<string> = new Set([...EVENT_NAMES, STACK_CHANGED])

/** Messages of these events are validated, since listeners rely on their fields. */
const checks = new Map<BusEventName, ReturnType<typeof createBodyCheck>>([
  ['building.point.updated', createBodyCheck(PointUpdated)],
  ['building.alarm.triggered', createBodyCheck(AlarmTriggered)],
  ['building.fault.created', createBodyCheck(FaultCreated)],
  [STACK_CHANGED, createBodyCheck(StackChanged)],
])

/**
 * Parses a message as an event, or returns why it is ignored. Messages are untrusted: anybody with access to NATS can
 * publish.
 */
export function readMessage(
  buildingId: string,
  name: string,
  text: string,
): { event: BusEvent } | { ignoredBecause: string } {
  if (!isEventName(name)) return { ignoredBecause: 'unknown event' }
  const fields = parse(text)
  if (!isFields(fields)) return { ignoredBecause: 'no JSON object' }
  const { buildingId: claimed = buildingId } = fields
  if (typeof claimed !== 'string' || claimed.toLowerCase() !== buildingId) return { ignoredBecause: 'another building' }
  const wrong = checks.get(name)?.(fields) ?? []
  if (wrong.length > 0) return { ignoredBecause: 'wrong fields' }
  return { event: { buildingId, name, fields } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isEventName = (name: string): name is BusEventName => names.has(name)

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
