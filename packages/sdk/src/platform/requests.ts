import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { aRecord, rows } from '../http/shape.ts'
import type {
  CommentRecord,
  NewComment,
  NewRequest,
  RequestPatch,
  RequestQuery,
  RequestRecord,
  RequestTransition,
} from '../wire.ts'
import { type ListApi, listApi, verbs } from './resource.ts'

/**
 * A page of service requests. Pages are numbered from 1.
 *
 * @stable
 */
export interface RequestPage {
  data: RequestRecord[]
  total: number
  page: number
  limit: number
}

/**
 * The comments of a service request.
 *
 * @stable
 */
export interface CommentsApi extends ListApi<CommentRecord> {
  create(body: NewComment, options?: CallOptions): Promise<CommentRecord>
}

/**
 * The service desk: requests of people in the building.
 *
 * @stable
 */
export interface RequestsApi {
  list(query?: RequestQuery, options?: CallOptions): Promise<RequestPage>
  listAll(query?: Omit<RequestQuery, 'page'>, options?: CallOptions): AsyncGenerator<RequestRecord, void, undefined>
  get(id: string, options?: CallOptions): Promise<RequestRecord>
  create(body: NewRequest, options?: CallOptions): Promise<RequestRecord>
  update(id: string, body: RequestPatch, options?: ChangeOptions): Promise<RequestRecord>
  transition(id: string, body: RequestTransition, options?: ChangeOptions): Promise<RequestRecord>
  comments(id: string): CommentsApi
}

export function requestsApi(http: HttpClient): RequestsApi {
  const all = '/api/service-desk/requests'
  const { create, update, act } = verbs(http, all)
  const list: RequestsApi['list'] = (query, options) =>
    http.json({ ...options, method: 'GET', path: all, query, shape: rows })
  return {
    list,
    async *listAll(query, options) {
      for (let page = 1, seen = 0; ; page++) {
        const { data, total } = await list({ limit: 200, ...query, page }, options)
        yield* data
        seen += data.length
        if (data.length === 0 || !(seen < total)) return
      }
    },
    get: (id, options) => http.json({ ...options, method: 'GET', path: all + path`/${id}`, shape: aRecord }),
    create,
    update,
    transition: (id, body, options) => act(id, 'transition', body, options),
    comments(id) {
      const comments = all + path`/${id}/comments`
      const create: CommentsApi['create'] = (body, options) =>
        http.json({ ...options, method: 'POST', path: comments, body })
      return { ...listApi<CommentRecord, PageQuery>(http, comments), create }
    },
  }
}
