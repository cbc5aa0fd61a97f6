import type { PointUpdated } from '@storey/contract'
import type { BuildingModel } from '../building/model.ts'
import { isEvent, type LogEntry, type LoggedEvent } from './event-log.ts'

export interface EventFilter {
  /** Empty: all kinds. */
  kinds: readonly string[]
  /** The id of a storey, a room, an element or a point; empty: the whole building. */
  nodeId: string
  text: string
}

export const observationsOf = ({ kind, fields }: LoggedEvent): PointUpdated['observations'] =>
  kind === 'building.point.updated' ? (fields as unknown as PointUpdated).observations : []

/** The node and everything below it. */
export function idsBelow(model: BuildingModel, nodeId: string): ReadonlySet<string> {
  const ids = new Set([nodeId])
  for (const { id, storeyId } of model.spaces) if (storeyId === nodeId) ids.add(id)
  for (const { id } of model.elements) {
    const [space, storey] = [model.spaceOf(id)?.id, model.storeyOf(id)?.id]
    if ((space !== undefined && ids.has(space)) || storey === nodeId) ids.add(id)
  }
  for (const { id, elementId } of model.points) if (ids.has(elementId)) ids.add(id)
  return ids
}

/** Whether an event is about one of these nodes. */
export function isAbout(event: LoggedEvent, ids: ReadonlySet<string>): boolean {
  if (observationsOf(event).some(({ pointId, elementId }) => ids.has(pointId) || ids.has(elementId))) return true
  const { pointId, elementId, spaceId } = event.fields
  return [pointId, elementId, spaceId].some((id) => typeof id === 'string' && ids.has(id))
}

/** The events that match all parts of the filter, and all gaps (entries that report missing events). */
export function filterEvents(
  entries: readonly LogEntry[],
  { kinds, nodeId, text }: EventFilter,
  model: BuildingModel,
  textOf: (event: LoggedEvent) => string,
): readonly LogEntry[] {
  const wanted = text.trim().toLowerCase()
  const ids = nodeId === '' ? undefined : idsBelow(model, nodeId)
  if (kinds.length === 0 && ids === undefined && wanted === '') return entries
  return entries.filter(
    (entry) =>
      !isEvent(entry) ||
      ((kinds.length === 0 || kinds.includes(entry.kind)) &&
        (ids === undefined || isAbout(entry, ids)) &&
        (wanted === '' || textOf(entry).includes(wanted))),
  )
}

/**
 * Returns a function that gives the searchable text of an event, in lower case: the kind and the JSON of the event, and
 * the names of its nodes.
 */
export function createSearchTexts(model: BuildingModel): (event: LoggedEvent) => string {
  const known = new WeakMap<LoggedEvent, string>()
  const nameOf = (id: unknown) => {
    if (typeof id !== 'string') return ''
    const node = model.point(id) ?? model.element(id) ?? model.space(id)
    return node ? `${node.name}\n${node.code}` : ''
  }
  return (event) => {
    const before = known.get(event)
    if (before !== undefined) return before
    const { pointId, elementId, spaceId } = event.fields
    const names = new Set([pointId, elementId, spaceId].map(nameOf))
    for (const { pointId: id, elementId: owner } of observationsOf(event)) {
      names.add(nameOf(id))
      names.add(nameOf(owner))
      names.add(model.spaceOf(id)?.name ?? '')
    }
    const text = [event.kind, JSON.stringify(event.fields), ...names].join('\n').toLowerCase()
    known.set(event, text)
    return text
  }
}

/** The JSON for the clipboard: the events with sequence numbers, times of receipt and fields, without the gaps. */
export function toJson(entries: readonly LogEntry[]): string {
  const events = entries.filter(isEvent).map(({ kind, at, sequence, fields }) => ({
    ...{ event: kind, sequence, receivedAt: new Date(at).toISOString(), data: fields },
  }))
  return JSON.stringify(events.length === 1 ? events[0] : events, null, 2)
}
