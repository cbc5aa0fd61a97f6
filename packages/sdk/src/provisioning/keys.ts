import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import { allPages, type List, type PageQuery } from '../http/paging.ts'
import { path } from '../http/path.ts'
import { aList, rows, withTexts } from '../http/shape.ts'
import type { AuditQuery, AuditRecord, KeyMint, KeyRecord, MintedKey } from '../wire.ts'

/**
 * A page of the audit, newest first. `nextBefore` is the `before` of the next page, and null on the last page.
 *
 * @stable
 */
export interface AuditPage {
  data: AuditRecord[]
  nextBefore: number | null
}

/**
 * The API keys of the caller's organization. Creating keys and reading the audit need a portal session; listing and
 * revoking also accept a key with full scope.
 *
 * @stable
 */
export interface KeysApi {
  /** Only this response has the key itself. */
  mint(body: KeyMint, options?: CallOptions): Promise<MintedKey>
  list(query?: PageQuery, options?: CallOptions): Promise<List<KeyRecord>>
  listAll(options?: CallOptions): AsyncGenerator<KeyRecord, void, undefined>
  revoke(keyId: string, options?: ChangeOptions): Promise<void>
  audit(query?: AuditQuery, options?: CallOptions): Promise<AuditPage>
  auditAll(query?: AuditQuery, options?: CallOptions): AsyncGenerator<AuditRecord, void, undefined>
}

const KEYS = '/api/v1/keys'

export function keysApi(http: HttpClient): KeysApi {
  const list: KeysApi['list'] = (query, options) =>
    http.json({ ...options, method: 'GET', path: KEYS, query, shape: aList })
  const audit: KeysApi['audit'] = (query, options) =>
    http.json({ ...options, method: 'GET', path: `${KEYS}/audit`, query, shape: rows })
  return {
    mint: (body, options) => http.json({ ...options, method: 'POST', path: KEYS, body, shape: withTexts('keyId') }),
    list,
    listAll: (options) => allPages((page) => list(page, options)),
    revoke: (keyId, options) => http.json({ ...options, method: 'DELETE', path: path`/api/v1/keys/${keyId}` }),
    audit,
    async *auditAll(query, options) {
      for (let before = query?.before; ; ) {
        const page = await audit({ ...query, ...(before === undefined ? {} : { before }) }, options)
        yield* page.data
        // Ends the loop if the next page would have no older rows.
        const { nextBefore } = page
        if (typeof nextBefore !== 'number' || nextBefore >= (before ?? Number.POSITIVE_INFINITY)) return
        before = nextBefore
      }
    },
  }
}
