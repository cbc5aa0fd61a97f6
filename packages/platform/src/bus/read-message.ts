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

/** Where the fields of an event are fixed, what comes from outside is held to them: listeners rely on their shape. */
const checks = new Map<BusEventName, ReturnType<typeof createBodyCheck>>([
  ['building.point.updated', createBodyCheck(PointUpdated)],
  ['building.alarm.triggered', createBodyCheck(AlarmTriggered)],
  ['building.fault.created', createBodyCheck(FaultCreated)],
  [STACK_CHANGED, createBodyCheck(StackChanged)],
])

/** A message of another process as an event, or why it is none. Whoever may publish there may have written it. */
export function readMessage(
  buildingId: string,
  name: string,
  text: string,
): { event: BusEvent } | { ignoredFor: string } {
  if (!isEventName(name)) return { ignoredFor: 'unknown event' }
  const fields = parse(text)
  if (!isFields(fields)) return { ignoredFor: 'no JSON object' }
  const { buildingId: said = buildingId } = fields
  if (typeof said !== 'string' || said.toLowerCase() !== buildingId) return { ignoredFor: 'another building' }
  const wrong = checks.get(name)?.(fields) ?? []
  if (wrong.length > 0) return { ignoredFor: 'wrong fields' }
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
