import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { rows, withTexts } from '../http/shape.ts'
import type {
  AccountAuditQuery,
  AccountCreate,
  AccountEvent,
  NewSandboxAccount,
  PersonRecord,
  SandboxAccount,
  SandboxAccountPatch,
} from '../wire.ts'
import { type ListApi, listApi, readApi, verbs } from './resource.ts'

/**
 * People who can sign in to the sandbox.
 *
 * @experimental
 */
export type PeopleApi = ListApi<PersonRecord>

/**
 * The accounts of a sandbox, for its administrators.
 *
 * @experimental
 */
export interface AccountsApi extends ListApi<SandboxAccount> {
  get(id: string, options?: CallOptions): Promise<SandboxAccount>
  /** Only this response contains the one-time password. */
  create(body: AccountCreate, options?: CallOptions): Promise<NewSandboxAccount>
  update(id: string, body: SandboxAccountPatch, options?: ChangeOptions): Promise<SandboxAccount>
  /** Ends all sessions of the account. Only this response contains the one-time password. */
  resetPassword(id: string, options?: ChangeOptions): Promise<NewSandboxAccount>
  delete(id: string, options?: ChangeOptions): Promise<void>
  /** Changes of accounts, newest first. `nextBefore` is null on the last page. */
  audit(query?: AccountAuditQuery, options?: CallOptions): Promise<{ data: AccountEvent[]; nextBefore: number | null }>
}

export const peopleApi = (http: HttpClient): PeopleApi => listApi<PersonRecord, PageQuery>(http, '/api/v1/people')

const ACCOUNTS = '/api/v1/accounts'
const withPassword = withTexts('id', 'email', 'oneTimePassword')

export function accountsApi(http: HttpClient): AccountsApi {
  const { update, delete: remove } = verbs(http, ACCOUNTS)
  return {
    ...readApi<SandboxAccount, PageQuery>(http, ACCOUNTS),
    create: (body, options) => http.json({ ...options, method: 'POST', path: ACCOUNTS, body, shape: withPassword }),
    update,
    resetPassword: (id, options) =>
      http.json({ ...options, method: 'POST', path: path`/api/v1/accounts/${id}/reset-password`, shape: withPassword }),
    delete: remove,
    audit: (query, options) => http.json({ ...options, method: 'GET', path: `${ACCOUNTS}/audit`, query, shape: rows }),
  }
}
