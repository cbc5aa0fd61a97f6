import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import { allPages, type List, type PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { aRecord, rows } from '../http/shape.ts'
import type { ExternalId } from '../wire.ts'

/**
 * Storeys, spaces, elements or points of a building.
 *
 * @stable
 */
export interface NodesApi<Record, New, Patch, Filter extends PageQuery = PageQuery> {
  list(query?: Filter, options?: CallOptions): Promise<List<Record>>
  /** All nodes, page by page. */
  listAll(query?: Omit<Filter, 'offset'>, options?: CallOptions): AsyncGenerator<Record, void, undefined>
  get(id: string, options?: CallOptions): Promise<Record>
  create(body: New, options?: CallOptions): Promise<Record>
  update(id: string, body: Patch, options?: ChangeOptions): Promise<Record>
  delete(id: string, options?: ChangeOptions): Promise<void>
  /** Adds an external id. A node may have ids of several systems. */
  addExternalId(id: string, externalId: ExternalId, options?: ChangeOptions): Promise<Record>
  removeExternalId(id: string, externalId: ExternalId, options?: ChangeOptions): Promise<void>
}

export function nodesApi<Record, New, Patch, Filter extends PageQuery>(
  http: HttpClient,
  all: string,
  pageSize: number,
): NodesApi<Record, New, Patch, Filter> {
  type Api = NodesApi<Record, New, Patch, Filter>
  const one = (id: string) => all + path`/${id}`
  const list: Api['list'] = (query, options) => http.json({ ...options, method: 'GET', path: all, query, shape: rows })
  return {
    list,
    listAll: (query, options) =>
      allPages((page) => list({ ...(query as Filter), ...page }, options), { limit: query?.limit ?? pageSize }),
    get: (id, options) => http.json({ ...options, method: 'GET', path: one(id), shape: aRecord }),
    create: (body, options) => http.json({ ...options, method: 'POST', path: all, body, shape: aRecord }),
    update: (id, body, options) => http.json({ ...options, method: 'PATCH', path: one(id), body, shape: aRecord }),
    delete: (id, options) => http.json({ ...options, method: 'DELETE', path: one(id) }),
    addExternalId: (id, body, options) =>
      http.json({ ...options, method: 'POST', path: `${one(id)}/external-ids`, body }),
    removeExternalId: (id, { sourceSystem, externalId }, options) =>
      http.json({
        ...options,
        method: 'DELETE',
        path: `${one(id)}/external-ids`,
        query: { sourceSystem, externalId },
      }),
  }
}
