import { type FieldError, type NodeKind, problems } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { findKinds } from './places.store.ts'

const KINDS = { spaceId: 'space', storeyId: 'storey', elementId: 'element' } as const satisfies Record<string, NodeKind>
export type PlaceField = keyof typeof KINDS
export type Places = { [F in PlaceField]?: string | null }

/**
 * Each id is that of a node of its kind in the building. They need not agree with each other: what fails may stand on
 * another storey than the room that suffers.
 */
export async function checkPlaces(db: Queryable, buildingId: string, places: Places): Promise<void> {
  const given = (Object.keys(KINDS) as PlaceField[]).flatMap((field) => {
    const id = places[field]
    return id ? [{ field, id }] : []
  })
  const kinds = await findKinds(
    db,
    buildingId,
    given.map(({ id }) => id),
  )
  const errors: FieldError[] = given
    .filter(({ field, id }) => kinds.get(id) !== KINDS[field])
    .map(({ field }) => ({
      pointer: `/${field}`,
      in: 'body',
      detail: `${field} is no ${KINDS[field]} of the building`,
    }))
  if (errors.length > 0) throw problems.validation(errors)
}

/** As the database writes them, so that the same id is the same text. */
export function lowerPlaces(body: Places): Places {
  const given = (Object.keys(KINDS) as PlaceField[]).filter((field) => body[field] !== undefined)
  return Object.fromEntries(given.map((field) => [field, body[field]?.toLowerCase() ?? null]))
}
