import { REQUEST_PRIORITIES, REQUEST_STATES, type RequestQuery, requestCategories } from '@storey/contract'
import { createNumbers } from './numbers.ts'

/** The fields of a request that lists need, after its last change. */
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
  /** From when it is overdue, in milliseconds; null when time alone cannot make it so. */
  lateAtMs: number | null
  updatedAtMs: number
}

/** The conditions of a query, and the buildings in the caller's scope. */
export interface Filter extends Omit<RequestQuery, 'search' | 'page' | 'limit'> {
  /** null: all of them. */
  scope: readonly string[] | null
  now: Date
}

export interface Window {
  limit: number
  offset: number
}

export interface Found {
  /** The requests of the page, in the state of that moment. */
  page: { number: number; updatedAtMs: number }[]
  total: number
}

/** All requests, as columns of numbers, in the order of their last changes. */
export interface RequestColumns {
  /** Adds changes in their order. */
  put(row: ListedRow): void
  /** The last changed first. `also` tells which numbers a search has found. */
  list(filter: Filter, window: Window, also?: (request: number) => boolean): Found
}

/** Maps names to numbers; 0 is no name, or an unknown one. */
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
  const names = {
    ...{ buildingId: ids, spaceId: ids, storeyId: ids, elementId: ids },
    ...{ assignedUserId: createNames(), assignedTeamId: createNames() },
    state: createNames(REQUEST_STATES),
    priority: createNames(REQUEST_PRIORITIES),
    category: createNames(requestCategories.map(({ slug }) => slug)),
  }
  type Name = keyof typeof names
  const fields = Object.keys(names) as Name[]
  const columns = Object.fromEntries(fields.map((name) => [name, createNumbers(Uint32Array)])) as Record<
    Name,
    ReturnType<typeof createNumbers<Uint32Array<ArrayBuffer>>>
  >
  const lateAt = createNumbers(Float64Array)
  const updatedAt = createNumbers(Float64Array)
  /** The log of changes: the number at each place, and the last place of each number. Place 0 is none. */
  let log = createNumbers(Uint32Array)
  const placeOf = createNumbers(Uint32Array)
  let places = 0
  let requests = 0

  /** When most places of the log belong to older changes, rewrites it without them. */
  function tidy(): void {
    const [old, current] = [log.all(), placeOf.all()]
    const from = places
    log = createNumbers(Uint32Array)
    places = 0
    for (let place = 1; place <= from; place++) {
      const request = old[place]!
      if (current[request] !== place) continue
      places += 1
      log.set(places, request)
      placeOf.set(request, places)
    }
    for (const field of ['assignedUserId', 'assignedTeamId'] as const) forgetNames(field)
  }

  /** Names are free text: those that no request has any more are dropped. */
  function forgetNames(field: Name): void {
    const old = names[field].names()
    names[field] = createNames()
    const [requestAt, column] = [log.all(), columns[field]]
    for (let place = 1; place <= places; place++) {
      const request = requestAt[place]!
      column.set(request, names[field].add(old[column.get(request)]!))
    }
  }

  /** Whether a request matches the filter. 100,000 of them take 1 ms. */
  function checkOf(filter: Filter): (request: number) => boolean {
    const asked = fields.filter((name) => filter[name] !== undefined)
    const wantedColumns = asked.map((name) => columns[name].all())
    const wanted = asked.map((name) =>
      names[name].find(names[name] === ids ? filter[name]!.toLowerCase() : filter[name]!),
    )
    return (request) => {
      for (let i = 0; i < wanted.length; i++) if (wantedColumns[i]![request] !== wanted[i]) return false
      return true
    }
  }

  return {
    put(row) {
      const { number } = row
      if (placeOf.get(number) === 0) requests += 1
      for (const name of fields) columns[name].set(number, names[name].add(row[name]))
      lateAt.set(number, row.lateAtMs ?? NEVER)
      updatedAt.set(number, row.updatedAtMs)
      places += 1
      log.set(places, number)
      placeOf.set(number, places)
      if (places > 2 * requests + 1000) tidy()
    },
    list(filter, { limit, offset }, also) {
      const fits = checkOf(filter)
      const reached = filter.scope && new Set(filter.scope.map((id) => ids.find(id)))
      const [order, current, late, buildings] = [log.all(), placeOf.all(), lateAt.all(), columns.buildingId.all()]
      const now = filter.now.getTime()
      const page: Found['page'] = []
      let total = 0
      for (let place = places; place > 0; place--) {
        const request = order[place]!
        if (current[request] !== place) continue
        if (!fits(request)) continue
        if (filter.overdue !== undefined && late[request]! <= now !== filter.overdue) continue
        if (reached && !reached.has(buildings[request]!)) continue
        if (also && !also(request)) continue
        if (total >= offset && page.length < limit) page.push({ number: request, updatedAtMs: updatedAt.get(request) })
        total += 1
      }
      return { page, total }
    },
  }
}
