import { REQUEST_PRIORITIES, REQUEST_STATES, requestCategories } from '@storey/contract'
import { FILTER_FIELDS, type Filter, type FilterField, filterRequests } from './filter-requests.ts'
import { createNumbers } from './numbers.ts'

/** The fields of a request that a list needs, with their values after the last change of the request. */
export type ListedRow = {
  number: number
  buildingId: string
  state: string
  priority: string
  category: string
  spaceId: string | null
  storeyId: string | null
  elementId: string | null
  assignedUserId: string | null
  assignedTeamId: string | null
  /** When the request becomes overdue, in milliseconds: what `overdueAt` in `sla.ts` returns. */
  overdueAtMs: number | null
  updatedAtMs: number
}

export interface Window {
  limit: number
  offset: number
}

export interface Found {
  /** The requests of the page. `updatedAtMs` is the time of the last change that was known when the page was found. */
  page: { number: number; updatedAtMs: number }[]
  total: number
}

/** All requests in memory, as numeric columns, ordered by their last change. */
export interface RequestColumns {
  /** Records the values of a request after a change. Changes must be recorded in the order of their times. */
  put(row: ListedRow): void
  /** Lists the most recently changed requests first. `also` is an additional filter, from a search. */
  list(filter: Filter, window: Window, also?: (request: number) => boolean): Found
}

/** Maps names to numbers. 0 means no name. */
function createNames(given: readonly string[] = []) {
  const numbers = new Map(given.map((name, i) => [name, i + 1]))
  return {
    names: (): (string | null)[] => [null, ...numbers.keys()],
    find: (name: string): number => numbers.get(name) ?? -1,
    add(name: string | null): number {
      if (name === null) return 0
      const known = numbers.get(name)
      if (known === undefined) numbers.set(name, numbers.size + 1)
      return known ?? numbers.size
    },
  }
}

const NEVER = Number.POSITIVE_INFINITY

export function createRequestColumns(): RequestColumns {
  const ids = createNames()
  const names: Record<FilterField, ReturnType<typeof createNames>> = {
    ...{ buildingId: ids, spaceId: ids, storeyId: ids, elementId: ids },
    ...{ assignedUserId: createNames(), assignedTeamId: createNames() },
    state: createNames(REQUEST_STATES),
    priority: createNames(REQUEST_PRIORITIES),
    category: createNames(requestCategories.map(({ slug }) => slug)),
  }
  const columns = Object.fromEntries(FILTER_FIELDS.map((name) => [name, createNumbers(Uint32Array)])) as Record<
    FilterField,
    ReturnType<typeof createNumbers<Uint32Array<ArrayBuffer>>>
  >
  const overdueAt = createNumbers(Float64Array)
  const updatedAt = createNumbers(Float64Array)
  /** The log of changes: the request at each position, and the last position of each request. Position 0 is unused. */
  let log = createNumbers(Uint32Array)
  const positionOf = createNumbers(Uint32Array)
  let positions = 0
  let requests = 0

  /** Removes outdated positions from the log, and drops unused names of users and teams. */
  function compact(): void {
    const [old, current] = [log.all(), positionOf.all()]
    const from = positions
    log = createNumbers(Uint32Array)
    positions = 0
    for (let position = 1; position <= from; position++) {
      const request = old[position]!
      if (current[request] !== position) continue
      positions += 1
      log.set(positions, request)
      positionOf.set(request, positions)
    }
    for (const field of ['assignedUserId', 'assignedTeamId'] as const) dropUnusedNames(field)
  }

  /** The names of users and teams are free text, so names that no request uses any more are dropped. */
  function dropUnusedNames(field: FilterField): void {
    const old = names[field].names()
    names[field] = createNames()
    const [requestAt, column] = [log.all(), columns[field]]
    for (let position = 1; position <= positions; position++) {
      const request = requestAt[position]!
      column.set(request, names[field].add(old[column.get(request)]!))
    }
  }

  return {
    put(row) {
      const { number } = row
      if (positionOf.get(number) === 0) requests += 1
      for (const name of FILTER_FIELDS) columns[name].set(number, names[name].add(row[name]))
      overdueAt.set(number, row.overdueAtMs ?? NEVER)
      updatedAt.set(number, row.updatedAtMs)
      positions += 1
      log.set(positions, number)
      positionOf.set(number, positions)
      if (positions > 2 * requests + 1000) compact()
    },
    list(filter, { limit, offset }, also) {
      const fits = filterRequests(filter, {
        find: (field, name) => names[field].find(name),
        column: (field) => columns[field].all(),
        overdueAtMs: overdueAt.all(),
      })
      const [order, current] = [log.all(), positionOf.all()]
      const page: Found['page'] = []
      let total = 0
      for (let position = positions; position > 0; position--) {
        const request = order[position]!
        if (current[request] !== position) continue
        if (!fits(request)) continue
        if (also && !also(request)) continue
        if (total >= offset && page.length < limit) page.push({ number: request, updatedAtMs: updatedAt.get(request) })
        total += 1
      }
      return { page, total }
    },
  }
}
