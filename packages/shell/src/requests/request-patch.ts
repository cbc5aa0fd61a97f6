import type { RequestPatch, RequestRecord } from '@storey/sdk'

/** What can be corrected of a request, as a form has it. */
export interface RequestFields {
  title: string
  description: string
  category: RequestRecord['category']
  priority: RequestRecord['priority']
  /** The id of a room or a storey; nothing: the whole building. */
  place: string
  elementId: string
}

export const fieldsOf = (request: RequestRecord): RequestFields => ({
  title: request.title,
  description: request.description ?? '',
  category: request.category,
  priority: request.priority,
  place: request.spaceId ?? request.storeyId ?? '',
  elementId: request.elementId ?? '',
})

/** What to send: the fields that are others now, so that what somebody else changed meanwhile stays. */
export function patchOf(was: RequestFields, now: RequestFields, isStorey: (id: string) => boolean): RequestPatch {
  const title = now.title.trim()
  const description = now.description.trim()
  return {
    ...(title === was.title.trim() ? {} : { title }),
    ...(description === was.description.trim() ? {} : { description: description || null }),
    ...(now.category === was.category ? {} : { category: now.category }),
    ...(now.priority === was.priority ? {} : { priority: now.priority }),
    ...(now.place === was.place ? {} : placeIn(now.place, isStorey)),
    ...(now.elementId === was.elementId ? {} : { elementId: now.elementId || null }),
  }
}

/** The storey of a room follows by itself. */
function placeIn(place: string, isStorey: (id: string) => boolean): Pick<RequestPatch, 'spaceId' | 'storeyId'> {
  if (place === '') return { spaceId: null, storeyId: null }
  return isStorey(place) ? { spaceId: null, storeyId: place } : { spaceId: place }
}

/** The fields that the patch would change and that somebody else has changed since. */
export function clashesOf(was: RequestFields, now: RequestRecord, patch: RequestPatch): (keyof RequestFields)[] {
  const present = fieldsOf(now)
  const touched: (keyof RequestFields)[] = ['title', 'description', 'category', 'priority', 'elementId']
  const sent = touched.filter((field) => field in patch)
  if ('spaceId' in patch || 'storeyId' in patch) sent.push('place')
  return sent.filter((field) => present[field] !== was[field])
}
