import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import { allPages, type List, type PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { aRecord, rows } from '../http/shape.ts'

/**
 * A list of records.
 *
 * @stable
 */
export interface ListApi<Record, Filter extends PageQuery = PageQuery> {
  list(query?: Filter, options?: CallOptions): Promise<List<Record>>
  /** All records, page by page. */
  listAll(query?: Omit<Filter, 'offset'>, options?: CallOptions): AsyncGenerator<Record, void, undefined>
}

/**
 * Records that can be listed, and read by their id.
 *
 * @stable
 */
export interface ReadApi<Record, Filter extends PageQuery = PageQuery, Summary = Record>
  extends ListApi<Summary, Filter> {
  get(id: string, options?: CallOptions): Promise<Record>
}

export function listApi<Record, Filter extends PageQuery>(
  http: HttpClient,
  all: string,
  pageSize = 200,
): ListApi<Record, Filter> {
  const list: ListApi<Record, Filter>['list'] = (query, options) =>
    http.json({ ...options, method: 'GET', path: all, query, shape: rows })
  return {
    list,
    listAll: (query, options) =>
      allPages((page) => list({ ...(query as Filter), ...page }, options), { limit: query?.limit ?? pageSize }),
  }
}

export function readApi<Record, Filter extends PageQuery, Summary = Record>(
  http: HttpClient,
  all: string,
  pageSize?: number,
): ReadApi<Record, Filter, Summary> {
  return {
    ...listApi<Summary, Filter>(http, all, pageSize),
    get: (id, options) => http.json({ ...options, method: 'GET', path: all + path`/${id}`, shape: aRecord }),
  }
}

/** Methods that many resources have. */
export const verbs = (http: HttpClient, all: string) => ({
  create: <Body, Record>(body: Body, options?: CallOptions): Promise<Record> =>
    http.json({ ...options, method: 'POST', path: all, body, shape: aRecord }),
  update: <Body, Record>(id: string, body: Body, options?: ChangeOptions): Promise<Record> =>
    http.json({ ...options, method: 'PATCH', path: all + path`/${id}`, body, shape: aRecord }),
  delete: (id: string, options?: ChangeOptions): Promise<void> =>
    http.json({ ...options, method: 'DELETE', path: all + path`/${id}` }),
  /** An action on one record, such as `submit`. */
  act: <Record>(id: string, name: string, body: object | undefined, options?: ChangeOptions): Promise<Record> =>
    http.json({ ...options, method: 'POST', path: all + path`/${id}/${name}`, ...(body ? { body } : {}) }),
})
