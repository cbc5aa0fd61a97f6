import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import { path } from '../http/path.ts'
import type {
  ChangesetDiff,
  ChangesetListQuery,
  ChangesetPatch,
  ChangesetRecord,
  ChangesetSummary,
  NewChangeset,
  Review,
} from '../wire.ts'
import { type ReadApi, readApi, verbs } from './resource.ts'

/**
 * A comment on a step of a changeset. It is stored in the history of the changeset (`trail`).
 *
 * @stable
 */
export interface StepComment {
  comment?: string | null
}

/**
 * Changes of the graph that are reviewed before they are applied. Their states are draft, submitted, approved or
 * rejected, applied, and reverted.
 *
 * @stable
 */
export interface ChangesetsApi extends ReadApi<ChangesetRecord, ChangesetListQuery, ChangesetSummary> {
  create(body: NewChangeset, options?: CallOptions): Promise<ChangesetRecord>
  update(id: string, body: ChangesetPatch, options?: ChangeOptions): Promise<ChangesetRecord>
  submit(id: string, body?: StepComment, options?: ChangeOptions): Promise<ChangesetRecord>
  review(id: string, body: Review, options?: ChangeOptions): Promise<ChangesetRecord>
  apply(id: string, body?: StepComment, options?: ChangeOptions): Promise<ChangesetRecord>
  revert(id: string, body?: StepComment, options?: ChangeOptions): Promise<ChangesetRecord>
  /** What the changeset would change, and its conflicts. */
  diff(id: string, options?: CallOptions): Promise<ChangesetDiff>
}

export function changesetsApi(http: HttpClient, building: string): ChangesetsApi {
  const all = `${building}/changesets`
  const { create, update, act } = verbs(http, all)
  return {
    ...readApi(http, all),
    create,
    update,
    submit: (id, body, options) => act(id, 'submit', body, options),
    review: (id, body, options) => act(id, 'review', body, options),
    apply: (id, body, options) => act(id, 'apply', body, options),
    revert: (id, body, options) => act(id, 'revert', body, options),
    diff: (id, options) => http.json({ ...options, method: 'GET', path: all + path`/${id}/diff` }),
  }
}
