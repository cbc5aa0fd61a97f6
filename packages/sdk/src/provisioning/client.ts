import {
  type CallOptions,
  type ChangeOptions,
  type ClientOptions,
  createHttpClient,
  type HttpClient,
} from '../http/client.ts'
import { allPages, type List, type PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { sleep } from '../http/retry.ts'
import { aList, aRecord, withTexts } from '../http/shape.ts'
import type {
  AccountCreate,
  AccountRecord,
  ConsoleSession,
  ConsoleSessionQuery,
  NewAccountRecord,
  NewServiceAccountRecord,
  SandboxConnection,
  SandboxCreate,
  SandboxRecord,
  ServiceAccountCreate,
  ServiceAccountRecord,
} from '../wire.ts'
import { type KeysApi, keysApi } from './keys.ts'

/**
 * The sandboxes of the caller.
 *
 * @stable
 */
export interface SandboxesApi {
  /**
   * Returns immediately, with a sandbox that is still provisioning: `waitWhileProvisioning` waits until it is ready or
   * has failed. With an `idempotencyKey` the call is retried when the connection breaks, and a later call with
   * the same key returns the record that the first call created.
   */
  create(body: SandboxCreate, options?: CallOptions & { idempotencyKey?: string }): Promise<SandboxRecord>
  list(query?: PageQuery, options?: CallOptions): Promise<List<SandboxRecord>>
  listAll(options?: CallOptions): AsyncGenerator<SandboxRecord, void, undefined>
  get(sandboxId: string, options?: CallOptions): Promise<SandboxRecord>
  /** Addresses and the administrator token of a sandbox that is ready. */
  connection(sandboxId: string, options?: CallOptions): Promise<SandboxConnection>
  /**
   * An address that signs a browser in to the console as the owner of the sandbox, who is an administrator. The address
   * works once, within a minute.
   */
  consoleSession(sandboxId: string, options?: CallOptions & ConsoleSessionQuery): Promise<ConsoleSession>
  extend(sandboxId: string, days: number, options?: ChangeOptions): Promise<SandboxRecord>
  reset(sandboxId: string, options?: ChangeOptions): Promise<SandboxRecord>
  delete(sandboxId: string, options?: ChangeOptions): Promise<void>
  /** Polls the sandbox while its status is `provisioning`. The returned record is `ready` or `failed`. */
  waitWhileProvisioning(sandboxId: string, options?: PollOptions): Promise<SandboxRecord>
}

/**
 * How `waitWhileProvisioning` waits for a sandbox.
 *
 * @stable
 */
export interface PollOptions extends CallOptions {
  /** Seconds between two polls; default 5. */
  everySeconds?: number
  /** Called after each poll while the sandbox is provisioning. */
  onProgress?(record: SandboxRecord): void
}

/**
 * Accounts or service accounts that may call the API of a sandbox.
 *
 * @stable
 */
export interface MembersApi<Create, Record, New> {
  create(sandboxId: string, body: Create, options?: CallOptions): Promise<New>
  list(sandboxId: string, query?: PageQuery, options?: CallOptions): Promise<List<Record>>
  listAll(sandboxId: string, options?: CallOptions): AsyncGenerator<Record, void, undefined>
  get(sandboxId: string, id: string, options?: CallOptions): Promise<Record>
  delete(sandboxId: string, id: string, options?: ChangeOptions): Promise<void>
}

/**
 * The provisioning service: sandboxes, their accounts, and API keys.
 *
 * @stable
 */
export interface ProvisioningClient {
  readonly sandboxes: SandboxesApi
  readonly accounts: MembersApi<AccountCreate, AccountRecord, NewAccountRecord>
  readonly serviceAccounts: MembersApi<ServiceAccountCreate, ServiceAccountRecord, NewServiceAccountRecord>
  readonly keys: KeysApi
}

/**
 * A client of the provisioning service. The credential is an API key, a portal session, or a session of the
 * command-line tool.
 *
 * @stable
 */
export function createProvisioningClient(options: ClientOptions): ProvisioningClient {
  const http = createHttpClient(options)
  return {
    sandboxes: sandboxesApi(http),
    accounts: membersApi(http, 'accounts'),
    serviceAccounts: membersApi(http, 'service-accounts'),
    keys: keysApi(http),
  }
}

const SANDBOXES = '/api/v1/sandboxes'

const aSandbox = withTexts('sandboxId', 'status')
const sandboxList = (body: unknown) => aList(body) && (body as List<unknown>).data.every(aSandbox)

function sandboxesApi(http: HttpClient): SandboxesApi {
  const list: SandboxesApi['list'] = (query, options) =>
    http.json({ ...options, method: 'GET', path: SANDBOXES, query, shape: sandboxList })
  const get: SandboxesApi['get'] = (id, options) =>
    http.json({ ...options, method: 'GET', path: path`/api/v1/sandboxes/${id}`, shape: aSandbox })
  return {
    create(body, { idempotencyKey, ...options } = {}) {
      const call = { ...options, method: 'POST', path: SANDBOXES, body, shape: aSandbox } as const
      if (idempotencyKey === undefined) return http.json(call)
      return http.json({ ...call, headers: { 'idempotency-key': idempotencyKey }, repeatable: true })
    },
    list,
    listAll: (options) => allPages((page) => list(page, options)),
    get,
    connection: (id, options) =>
      http.json({
        ...options,
        method: 'GET',
        path: path`/api/v1/sandboxes/${id}/connection`,
        shape: withTexts('apiUrl', 'token', 'organizationId', 'buildingId'),
      }),
    consoleSession: (id, { path: page, ...options } = {}) =>
      http.json({
        ...options,
        method: 'POST',
        path: path`/api/v1/sandboxes/${id}/console-session`,
        query: { path: page },
        shape: withTexts('url', 'expiresAt'),
      }),
    extend: (id, days, options) =>
      http.json({
        ...options,
        method: 'POST',
        path: path`/api/v1/sandboxes/${id}/extend`,
        body: { days },
        shape: aSandbox,
      }),
    reset: (id, options) =>
      http.json({ ...options, method: 'POST', path: path`/api/v1/sandboxes/${id}/reset`, shape: aSandbox }),
    delete: (id, options) => http.json({ ...options, method: 'DELETE', path: path`/api/v1/sandboxes/${id}` }),
    async waitWhileProvisioning(id, { everySeconds = 5, onProgress, ...options } = {}) {
      for (;;) {
        const record = await get(id, options)
        if (record.status !== 'provisioning') return record
        onProgress?.(record)
        await sleep(everySeconds * 1000, options.signal)
      }
    },
  }
}

function membersApi<Create, Record, New>(
  http: HttpClient,
  kind: 'accounts' | 'service-accounts',
): MembersApi<Create, Record, New> {
  const all = (sandboxId: string) => path`/api/v1/sandboxes/${sandboxId}/${kind}`
  const list: MembersApi<Create, Record, New>['list'] = (sandboxId, query, options) =>
    http.json({ ...options, method: 'GET', path: all(sandboxId), query, shape: aList })
  return {
    create: (sandboxId, body, options) =>
      http.json({ ...options, method: 'POST', path: all(sandboxId), body, shape: aRecord }),
    list,
    listAll: (sandboxId, options) => allPages((page) => list(sandboxId, page, options)),
    get: (sandboxId, id, options) =>
      http.json({ ...options, method: 'GET', path: all(sandboxId) + path`/${id}`, shape: aRecord }),
    delete: (sandboxId, id, options) =>
      http.json({ ...options, method: 'DELETE', path: all(sandboxId) + path`/${id}` }),
  }
}
