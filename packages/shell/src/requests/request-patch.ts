import type { RequestPatch, RequestRecord } from '@storey/sdk'

/** The form values of a request. */
export interface RequestFields {
  title: string
  description: string
  category: RequestRecord['category']
  priority: RequestRecord['priority']
  /** The id of a room or a storey; empty for the whole building. */
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

/** The form values that the user has changed. */
export function changedOf(original: RequestFields, fields: RequestFields): Partial<RequestFields> {
  const isChanged = ([name, value]: [string, unknown]) => value !== original[name as keyof RequestFields]
  return Object.fromEntries(Object.entries(fields).filter(isChanged))
}

/** The changed fields only, so that changes of other fields by somebody else are kept. */
export function patchOf(original: RequestFields, now: RequestFields, isStorey: (id: string) => boolean): RequestPatch {
  const title = now.title.trim()
  const description = now.description.trim()
  return {
    ...(title === original.title.trim() ? {} : { title }),
    ...(description === original.description.trim() ? {} : { description: description || null }),
    ...(now.category === original.category ? {} : { category: now.category }),
    ...(now.priority === original.priority ? {} : { priority: now.priority }),
    ...(now.place === original.place ? {} : placePatch(now.place, isStorey)),
    ...(now.elementId === original.elementId ? {} : { elementId: now.elementId || null }),
  }
}

/** For a room only `spaceId` is sent, because the API derives the storey from the room. */
function placePatch(place: string, isStorey: (id: string) => boolean): Pick<RequestPatch, 'spaceId' | 'storeyId'> {
  if (place === '') return { spaceId: null, storeyId: null }
  return isStorey(place) ? { spaceId: null, storeyId: place } : { spaceId: place }
}

/** The fields of the patch that somebody else has changed. */
export function conflictsOf(original: RequestFields, now: RequestRecord, patch: RequestPatch): (keyof RequestFields)[] {
  const current = fieldsOf(now)
  const simpleFields: (keyof RequestFields)[] = ['title', 'description', 'category', 'priority', 'elementId']
  const sent = simpleFields.filter((field) => field in patch)
  if ('spaceId' in patch || 'storeyId' in patch) sent.push('place')
  return sent.filter((field) => current[field] !== original[field])
}
