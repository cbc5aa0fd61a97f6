import { type FieldError, type NodeKind, problems } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { findPlaces, type PlaceNode } from './places.store.ts'

const KINDS = { spaceId: 'space', storeyId: 'storey', elementId: 'element' } as const satisfies Record<string, NodeKind>
type PlaceField = keyof typeof KINDS
const FIELDS = Object.keys(KINDS) as PlaceField[]
/** The places of a request: the ids of its space, its storey and its element. */
export type Places = Record<PlaceField, string | null>
export const NO_PLACES: Places = { spaceId: null, storeyId: null, elementId: null }
type GivenPlaces = { [F in PlaceField]?: string | null }

/**
 * Resolves the places of a request after a change. A new place must be the internal id of a node of the building, of
 * the kind that the field names, and never an external id or a code. A place that the request had before is kept even
 * if its node was deleted. A space must be on the storey of the request. An element can be on another storey, because a
 * failing element can affect a space on another storey.
 */
export async function resolvePlaces(
  db: Queryable,
  buildingId: string,
  before: Places,
  body: GivenPlaces,
): Promise<Places> {
  const given = lowered(body)
  const wanted: Places = { ...before, ...given }
  const changed = FIELDS.filter((field) => wanted[field] !== before[field])
  if (changed.length === 0) return before
  const ids = [before, wanted].flatMap((places) => Object.values(places)).filter((id) => id !== null)
  const nodes = await findPlaces(db, buildingId, ids)
  checkKinds(wanted, changed, nodes)
  const isGiven = 'storeyId' in given
  if (isGiven) checkStorey(wanted, changed, nodes)
  return { ...wanted, storeyId: storeyOf(before, wanted, isGiven, nodes) }
}

type Nodes = ReadonlyMap<string, PlaceNode>

function checkKinds(wanted: Places, changed: readonly PlaceField[], nodes: Nodes): void {
  const errors: FieldError[] = changed
    .filter((field) => wanted[field] !== null && nodes.get(wanted[field])?.kind !== KINDS[field])
    .map((field) => ({
      pointer: `/${field}`,
      in: 'body',
      detail: `${field} is unknown: the building has no such ${KINDS[field]}`,
    }))
  if (errors.length > 0) throw problems.validation(errors)
}

const storeyOfNode = (nodes: Nodes, id: string | null): string | null => (id && nodes.get(id)?.storeyId) || null

/**
 * A storey that the body gives must be the storey of the space, whether the body gives the space too or the request has
 * it already. The stored space and storey are accepted again without this check. If the body does not give a storey,
 * the storey of a new space is used (`storeyOf`).
 */
function checkStorey({ spaceId, storeyId }: Places, changed: readonly PlaceField[], nodes: Nodes): void {
  const own = storeyOfNode(nodes, spaceId)
  if (own === null || storeyId === null || own === storeyId) return
  if (!changed.includes('spaceId') && !changed.includes('storeyId')) return
  const detail = 'storeyId is not the storey of spaceId'
  throw problems.validation(
    (['spaceId', 'storeyId'] as const).map((field) => ({ pointer: `/${field}`, in: 'body', detail })),
  )
}

function storeyOf(before: Places, wanted: Places, isGiven: boolean, nodes: Nodes): string | null {
  const { spaceId, storeyId, elementId } = wanted
  const own = storeyOfNode(nodes, spaceId)
  if (own !== null) return spaceId === before.spaceId ? (storeyId ?? own) : own
  const storeyFollowsElement = before.storeyId === null || before.storeyId === storeyOfNode(nodes, before.elementId)
  if (storeyId !== null && (isGiven || !storeyFollowsElement || elementId === before.elementId)) return storeyId
  return storeyOfNode(nodes, elementId) ?? storeyId
}

/** Ids in lower case, as the database returns them, so that equal ids are equal texts. */
function lowered(body: GivenPlaces): Partial<Places> {
  const given = FIELDS.filter((field) => body[field] !== undefined)
  return Object.fromEntries(given.map((field) => [field, body[field]?.toLowerCase() ?? null]))
}
