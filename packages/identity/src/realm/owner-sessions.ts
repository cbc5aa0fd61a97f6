import { randomBytes } from 'node:crypto'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { errors, type Provider } from 'oidc-provider'
import type { CheckTenant } from '../clients/clients.ts'
import { usedLinkPage } from '../pages/interaction-pages.ts'
import { sendPage } from '../pages/layout.ts'
import { textsOf } from '../pages/texts.ts'
import type { Vault } from '../vault.ts'
import type { Context, Middleware } from './koa.ts'
import * as models from './models.store.ts'
import { realmPath } from './names.ts'

const REALM = 'sandboxes'
const MODEL = 'OwnerTicket'
const PATH = '/owner-session'

/** How long the link of an owner session can be opened. */
export const TICKET_S = 60

export interface OwnerTicket {
  accountId: string
  /** The `acr` of the session (`acrOf`); absent in tickets of an earlier version. */
  acr?: string
  /** The client of the shell that the link opens. */
  clientId: string
  /** The page of the shell; absent in tickets of an earlier version. */
  path?: string
}

export interface OwnerTickets {
  issue(ticket: OwnerTicket, check?: CheckTenant): Promise<{ url: string; expiresAt: Date }>
  /**
   * Consumes a ticket; of two concurrent calls one succeeds. Undefined if it was used, has expired or never existed.
   */
  redeem(text: string): Promise<OwnerTicket | undefined>
}

/** Links that sign the owner of a sandbox in to its shell, once. Only a keyed hash of a link is stored. */
export function createOwnerTickets(options: {
  database: Database
  vault: Vault
  clock: Clock
  publicUrl: string
}): OwnerTickets {
  const { database, vault, clock, publicUrl } = options
  const keyOf = (text: string) => ({ realm: REALM, model: MODEL, id: vault.hmac(`${MODEL}:${text}`) }) as const
  const sealName = (id: Buffer) => `${REALM}:${MODEL}:${id.toString('base64url')}`
  return {
    async issue(ticket, check) {
      const text = randomBytes(32).toString('base64url')
      const key = keyOf(text)
      const { accountId, clientId } = ticket
      const fields = { grantId: undefined, uid: undefined, userCode: undefined, accountId, clientId }
      const payload = vault.seal(JSON.stringify(ticket), sealName(key.id))
      await database.transaction(async (tx) => {
        await check?.(tx)
        await models.upsertModel(tx, key, { ...fields, payload, expiresInS: TICKET_S })
      })
      const expiresAt = new Date(clock.now().getTime() + TICKET_S * 1000)
      return { url: `${publicUrl}${realmPath(REALM)}${PATH}/${text}`, expiresAt }
    },
    async redeem(text) {
      const key = keyOf(text)
      const row = await models.findModel(database, key)
      if (!row || row.consumedAt !== null || !(await models.consumeModel(database, key))) return undefined
      const opened = vault.open(row.payload, sealName(row.id))
      return opened === undefined ? undefined : (JSON.parse(opened) as OwnerTicket)
    },
  }
}

/**
 * Whether the user opened the link directly or from the portal. Without this check, a page of another site, or of a
 * sandbox, could sign its visitors in to an account of the page's author. Programs and old browsers do not send the
 * Sec-Fetch headers and are accepted.
 */
function isOwnNavigation(ctx: Context): boolean {
  return (
    ['', 'none', 'same-origin'].includes(ctx.get('sec-fetch-site')) &&
    ['', 'document'].includes(ctx.get('sec-fetch-dest'))
  )
}

/** Opens the link of an owner session: the browser gets a session of the realm, and the shell signs in with it. */
export function serveOwnerSessions(options: {
  provider: Provider
  tickets: OwnerTickets
  sessionS: number
  publicUrl: string
  shellOriginOf(clientId: string): string
}): Middleware {
  const { provider, tickets, sessionS, publicUrl, shellOriginOf } = options

  async function open(ctx: Context, text: string): Promise<void> {
    if (!isOwnNavigation(ctx)) throw new errors.InvalidRequest('open the link directly, not from another page')
    const ticket = await tickets.redeem(text)
    if (!ticket) return sendPage(ctx, usedLinkPage(textsOf(ctx), publicUrl))
    // The browser gets a new session. Its previous session is not ended, so tokens of that session stay valid.
    const session = new provider.Session()
    const { accountId, acr } = ticket
    session.loginAccount({ accountId, ...(acr === undefined ? {} : { acr }), amr: ['owner'] })
    await session.save(sessionS)
    ctx.cookies.set(provider.cookieName('session'), session.jti, {
      ...{ httpOnly: true, sameSite: 'lax', signed: true, overwrite: true },
      ...{ path: realmPath(REALM), maxAge: sessionS * 1000 },
    })
    ctx.set('cache-control', 'no-store')
    ctx.set('referrer-policy', 'no-referrer')
    ctx.redirect(new URL(`${shellOriginOf(ticket.clientId)}${ticket.path ?? '/'}`).href)
    ctx.status = 303
  }

  return async (ctx, next) => {
    const [, text] = /^\/owner-session\/([\w-]{43})$/.exec(ctx.path) ?? []
    // Link checkers send HEAD requests, which must not consume the link.
    if (text === undefined || ctx.method !== 'GET') return await next()
    await open(ctx, text)
  }
}
