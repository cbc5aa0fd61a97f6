import type { SpaceNode, StoreyNode } from '@storey/contract'
import type { IfcSpace, IfcStorey } from '@storey/ifc'

/** Names and room numbers that differ only in case or in blanks at the ends are equal. */
const normalized = (text: string): string => text.trim().toLowerCase()

/** In metres. The elevations of one storey in two models can differ by this much. */
const LEVEL_TOLERANCE_M = 0.5

/**
 * Returns a function that finds the storey of another model that is the same as a storey of this model. No storey is
 * found twice, nor one of `claimed`. Of several storeys it finds the first.
 */
export function matchStoreys(
  storeys: readonly StoreyNode[],
  claimed: Iterable<string>,
): (storey: IfcStorey) => StoreyNode | undefined {
  const taken = new Set(claimed)
  const byName = Map.groupBy(storeys.toReversed(), ({ name }) => normalized(name))
  return (storey) => {
    const named = byName.get(normalized(storey.name)) ?? []
    dropTaken(named, taken)
    const found = named.findLast((other) => !taken.has(other.id) && isSameLevel(other, storey))
    if (found !== undefined) taken.add(found.id)
    return found
  }
}

function isSameLevel(a: Pick<StoreyNode, 'elevationM'>, b: Pick<IfcStorey, 'elevationM'>): boolean {
  if (a.elevationM === null || b.elevationM === null) return true
  return Math.abs(a.elevationM - b.elevationM) <= LEVEL_TOLERANCE_M
}

/** A room, and its place in the list of all rooms. */
type Placed = { id: string; room: SpaceNode; place: number }

/**
 * Returns a function that finds the room of another model, on a given storey, that is the same as a space of this
 * model. It compares room numbers (or the code of the node, if no model gave the node a room number). If the space of
 * the model has only one of IFC's two names (Name and LongName), the names of the rooms are compared too, because this
 * only name can be the number or the name of the room. No room is found twice, nor one of `claimed`. Of several rooms
 * it finds the first. `labels` has the room numbers by GlobalId.
 */
export function matchSpaces(
  rooms: readonly SpaceNode[],
  labels: ReadonlyMap<string, string>,
  claimed: Iterable<string>,
): (space: IfcSpace, storeyId: string) => SpaceNode | undefined {
  const taken = new Set(claimed)
  const byNumber = new Map<string, Placed[]>()
  const byName = new Map<string, Placed[]>()
  for (const [place, room] of [...rooms.entries()].reverse()) {
    const placed = { id: room.id, room, place }
    const numbers = new Set(numbersOf(room, labels).map((number) => keyOf(room.storeyId, number)))
    for (const key of numbers) add(byNumber, key, placed)
    add(byName, keyOf(room.storeyId, room.name), placed)
  }
  return (space, storeyId) => {
    const key = keyOf(storeyId, space.name)
    const hasOneName = space.longName === null || space.longName === space.name
    const found = earlier(
      firstFree(byNumber.get(key), taken),
      hasOneName ? firstFree(byName.get(key), taken) : undefined,
    )
    if (found !== undefined) taken.add(found.id)
    return found?.room
  }
}

const keyOf = (storeyId: string, text: string): string => `${storeyId} ${normalized(text)}`

function numbersOf({ externalIds, code }: SpaceNode, labels: ReadonlyMap<string, string>): string[] {
  const known = externalIds.flatMap(({ externalId }) => labels.get(externalId) ?? [])
  return known.length > 0 ? known : [code]
}

function add(lists: Map<string, Placed[]>, key: string, placed: Placed): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [placed])
  else list.push(placed)
}

/** Drops taken nodes from the end of a list, so that a list of equal names is not searched from its start each time. */
function dropTaken(list: { id: string }[], taken: ReadonlySet<string>): void {
  while (list.length > 0 && taken.has(list.at(-1)!.id)) list.pop()
}

/** The first room that is not taken. The rooms of a list are in reverse order. */
function firstFree(list: Placed[] | undefined, taken: ReadonlySet<string>): Placed | undefined {
  if (list === undefined) return undefined
  dropTaken(list, taken)
  return list.at(-1)
}

function earlier(a: Placed | undefined, b: Placed | undefined): Placed | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a.place <= b.place ? a : b
}
