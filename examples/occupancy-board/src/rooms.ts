import type { Graph } from '@storey/sdk'

export interface Room {
  id: string
  name: string
  storeyId: string
  typeSlug: string
  capacity: number
  /** Points that count people. */
  counters: string[]
  /** Points that report only whether somebody is there. */
  presences: string[]
}

export interface Storey {
  id: string
  name: string
}

export interface Rooms {
  rooms: Room[]
  /** From top to bottom, like a directory in a lobby. */
  storeys: Storey[]
}

type Source = Pick<Graph, 'storeys' | 'spaces' | 'elements' | 'points'>

/** The rooms for people: active, and with a capacity. Corridors, shafts and plant rooms have no capacity. */
export function roomsOf({ storeys, spaces, elements, points }: Source): Rooms {
  const elementById = new Map(elements.map((element) => [element.id, element]))
  const counters = new Map<string, string[]>()
  const presences = new Map<string, string[]>()
  for (const point of points) {
    const element = elementById.get(point.elementId)
    if (!element?.spaceId) continue
    if (element.elementTypeSlug === 'people-counter' && point.pointType === 'SENSOR')
      add(counters, element.spaceId, point.id)
    if (element.elementTypeSlug === 'occupancy-sensor' && point.pointType === 'STATUS')
      add(presences, element.spaceId, point.id)
  }
  const rooms = spaces
    .filter(({ status, capacity }) => status === 'active' && (capacity ?? 0) > 0)
    .map(({ id, name, storeyId, spaceTypeSlug, capacity }) => ({
      id,
      name,
      storeyId,
      typeSlug: spaceTypeSlug,
      capacity: capacity ?? 0,
      counters: counters.get(id) ?? [],
      presences: presences.get(id) ?? [],
    }))
  const used = new Set(rooms.map(({ storeyId }) => storeyId))
  return {
    rooms,
    storeys: storeys
      .filter(({ id }) => used.has(id))
      .sort((a, b) => b.index - a.index)
      .map(({ id, name }) => ({ id, name })),
  }
}

function add(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
