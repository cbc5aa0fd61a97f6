import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { type Client, errors, type Interaction, type Provider } from 'oidc-provider'
import type { AccountRow } from '../accounts/accounts.store.ts'
import { replacePassword } from '../accounts/accounts.ts'
import { type Passwords, passwordViolation, verifyPassword } from '../accounts/passwords.ts'
import { accountName, FULL_QUEUE_RETRY_MS, signIn } from '../accounts/sign-in.ts'
import { TooManyWaiting } from '../accounts/task-queue.ts'
import { createTickets } from '../accounts/tickets.ts'
import { extrasOf, type ShellOriginOf } from '../clients/client-metadata.ts'
import {
  consentPage,
  type DemoHint,
  type InteractionView,
  newPasswordPage,
  signInPage,
} from '../pages/interaction-pages.ts'
import { sendPage } from '../pages/layout.ts'
import { textsOf } from '../pages/texts.ts'
import { type Attempts, secondsUntil } from '../sign-in-attempts/attempts.ts'
import type { KnownDevices } from '../sign-in-attempts/known-devices.ts'
import type { SlowDown } from '../sign-in-attempts/slow-down.ts'
import { sameBytes, type Vault } from '../vault.ts'
import { acrOf } from './claims.ts'
import { readForm } from './form.ts'
import type { Context, Middleware } from './koa.ts'
import { type RealmName, realmPath } from './names.ts'

export interface InteractionOptions {
  realm: RealmName
  provider: Provider
  database: Database
  vault: Vault
  clock: Clock
  passwords: Passwords
  attempts: Attempts
  slowDown: SlowDown
  knownDevices: KnownDevices
  publicUrl: string
  demo: DemoHint | undefined
  shellOriginOf: ShellOriginOf
  addressOf(ctx: Context): string
}

/** How long a known browser is remembered. */
const DEVICE_MS = 180 * 24 * 3_600_000

/** An interaction that is open in a browser, with what its pages need. */
interface OpenInteraction extends InteractionView {
  interaction: Interaction
  tenantId: string | undefined
}

/**
 * The URL of an interaction. It contains the client id, so that the page of an expired interaction can still link back
 * to the application.
 */
export function interactionUrl(
  realm: RealmName,
  { uid, params }: Pick<Interaction, 'uid' | 'params'>,
  action?: string,
): string {
  const path = `${realmPath(realm)}/interaction/${uid}${action === undefined ? '' : `/${action}`}`
  return `${path}?${new URLSearchParams({ client_id: String(params.client_id) })}`
}

/** The interaction pages between an authorization request and its response: sign-in, new password, consent. */
export function serveInteractions(options: InteractionOptions): Middleware {
  const { realm, provider, database, vault, clock, passwords, attempts, slowDown, knownDevices, publicUrl, addressOf } =
    options
  const deviceCookie = `storey_${realm}_device`
  const tickets = createTickets({ realm, database, vault })

  /** Loads the interaction that the browser's cookie names. It must be the one in the URL. */
  async function loadInteraction(ctx: Context, uid: string): Promise<OpenInteraction> {
    const interaction = await provider.interactionDetails(ctx.req, ctx.res)
    if (interaction.uid !== uid) throw new errors.SessionNotFound('another sign-in has begun since')
    const client = await provider.Client.find(String(interaction.params.client_id))
    if (!client) throw new errors.InvalidClient('client is invalid', 'client not found')
    return {
      interaction,
      demo: options.demo?.(),
      ownerUrl: realm === 'sandboxes' ? ownerUrl(client) : undefined,
      texts: textsOf(ctx),
      tenantId: extrasOf(client).tenantId,
      urlOf: (action) => interactionUrl(realm, interaction, action),
      csrf: vault.hmac(`csrf:${realm}:${uid}`).toString('base64url'),
      clientName: client.clientName ?? client.clientId,
      redirectUri: interaction.params.redirect_uri as string | undefined,
    }
  }

  /** The portal's page that opens the console of the sandbox to which the client belongs. */
  function ownerUrl({ clientId }: Client): string {
    const [slug] = new URL(options.shellOriginOf(clientId)).hostname.split('.')
    return `${publicUrl}/sandboxes/${slug}/console`
  }

  /** Accepts a form only from the page that was sent to this browser. */
  async function formOf(ctx: Context, view: OpenInteraction): Promise<URLSearchParams> {
    const form = await readForm(ctx.req)
    const origin = ctx.get('origin')
    const isOurs = origin === '' || origin === publicUrl
    if (!isOurs || !sameBytes(Buffer.from(form.get('csrf') ?? ''), Buffer.from(view.csrf))) {
      throw new errors.InvalidRequest('the form was not sent from our own page')
    }
    return form
  }

  function show(ctx: Context, { interaction, ...view }: OpenInteraction): void {
    if (interaction.prompt.name === 'login') {
      const hint = interaction.params.login_hint
      sendPage(ctx, signInPage(view, typeof hint === 'string' ? { email: hint } : {}))
    } else if (interaction.prompt.name === 'consent') {
      sendPage(ctx, consentPage(view, String(interaction.params.scope ?? '').split(' ')))
    } else {
      throw new errors.InvalidRequest('unknown prompt')
    }
  }

  async function trySignIn(ctx: Context, view: OpenInteraction): Promise<void> {
    const form = await formOf(ctx, view)
    const email = form.get('email') ?? ''
    const password = form.get('password') ?? ''
    const result = await signIn(
      { database, passwords, attempts, slowDown, clock },
      {
        realm,
        tenantId: view.tenantId,
        email,
        password,
        address: addressOf(ctx),
        device: knownDevices.deviceOf(ctx.cookies.get(deviceCookie), accountName(realm, view.tenantId, email)),
      },
    )
    switch (result.outcome) {
      case 'signed-in':
        return await finish(ctx, view, result.account)
      case 'password-needed':
        return sendPage(
          ctx,
          newPasswordPage(view, {
            email: result.account.email,
            ticket: tickets.issue(view.interaction.uid, result.account),
          }),
        )
      case 'refused':
        return sendPage(ctx, {
          ...signInPage(view, { email, error: view.texts.wrongPassword }),
          status: 400,
        })
      case 'disabled':
        return sendPage(ctx, {
          ...signInPage(view, { email, error: view.texts.accountDisabled }),
          status: 403,
        })
      case 'blocked': {
        const waitS = secondsUntil(result.until, clock)
        ctx.set('retry-after', String(waitS))
        const error = view.texts.tooManyAttempts(waitS)
        return sendPage(ctx, { ...signInPage(view, { email, error }), status: 429 })
      }
      case 'busy':
        return sendPage(ctx, { ...signInPage(view, { email, error: retryLater(ctx, view) }), status: 429 })
    }
  }

  /** Sets Retry-After, and returns the message for the case that too many passwords wait to be checked. */
  function retryLater(ctx: Context, { texts }: OpenInteraction): string {
    const waitS = FULL_QUEUE_RETRY_MS / 1000
    ctx.set('retry-after', String(waitS))
    return texts.busy(waitS)
  }

  async function choosePassword(ctx: Context, view: OpenInteraction): Promise<void> {
    const form = await formOf(ctx, view)
    const ticket = form.get('ticket') ?? ''
    const account = await tickets.redeem(view.interaction.uid, ticket)
    if (!account) throw new errors.InvalidRequest('the one-time password was used, or entered in another sign-in')
    try {
      await setPassword(ctx, view, form, account)
    } catch (err) {
      if (!(err instanceof TooManyWaiting)) throw err
      const error = retryLater(ctx, view)
      sendPage(ctx, { ...newPasswordPage(view, { email: account.email, ticket, error }), status: 429 })
    }
  }

  async function setPassword(
    ctx: Context,
    view: OpenInteraction,
    form: URLSearchParams,
    account: AccountRow,
  ): Promise<void> {
    const ticket = form.get('ticket') ?? ''
    const password = form.get('password') ?? ''
    const { texts } = view
    // The number of waiting password checks is limited for each organization, because this form can be sent repeatedly
    // until the password is replaced.
    const by = { key: `organization ${account.organizationId}`, isKnown: true }
    const violation = passwordViolation(password, account.email)
    const error =
      password !== form.get('repeated')
        ? texts.passwordsDiffer
        : violation !== undefined
          ? texts.passwordViolations[violation]
          : (await verifyPassword(password, account.password, by))
            ? texts.passwordIsOld
            : undefined
    if (error !== undefined) {
      return sendPage(ctx, { ...newPasswordPage(view, { email: account.email, ticket, error }), status: 400 })
    }
    const hash = await passwords.hash(password, by)
    const replaced = await replacePassword(database, realm, account, { hash, oneTime: false })
    if (!replaced) throw new errors.InvalidRequest('the one-time password was used')
    await finish(ctx, view, replaced)
  }

  /**
   * `account` was read before its password was checked, or when its password was replaced. If the account's sessions
   * are ended after that, `acr` is outdated, so this sign-in is not valid either.
   */
  async function finish(ctx: Context, { interaction, tenantId }: OpenInteraction, account: AccountRow): Promise<void> {
    const { id, email } = account
    const known = knownDevices.remember(ctx.cookies.get(deviceCookie), accountName(realm, tenantId, email))
    const path = realmPath(realm)
    ctx.cookies.set(deviceCookie, known, { httpOnly: true, sameSite: 'lax', path, signed: false, maxAge: DEVICE_MS })
    if (interaction.session && interaction.session.accountId !== id) {
      // Another account was signed in with this browser. The session of that account is not ended, so tokens of the
      // session stay valid. The browser gets a new session.
      delete interaction.session
      await interaction.persist()
      ctx.cookies.set(provider.cookieName('session'), null, { path, signed: true })
    }
    await answer(ctx, { login: { accountId: id, acr: acrOf(account), amr: ['pwd'] } })
  }

  async function answer(ctx: Context, result: Parameters<Provider['interactionResult']>[2]): Promise<void> {
    const returnTo = await provider.interactionResult(ctx.req, ctx.res, result)
    ctx.set('cache-control', 'no-store')
    ctx.redirect(returnTo)
    ctx.status = 303
  }

  const handlers: Record<string, (ctx: Context, view: OpenInteraction) => Promise<void> | void> = {
    'GET ': show,
    'POST sign-in': trySignIn,
    'POST password': choosePassword,
    async 'POST consent'(ctx, view) {
      await formOf(ctx, view)
      await answer(ctx, { consent: {} })
    },
    async 'POST cancel'(ctx, view) {
      await formOf(ctx, view)
      await answer(ctx, { error: 'access_denied', error_description: 'the user denied the request' })
    },
  }

  return async (ctx, next) => {
    const [, uid, action = ''] = /^\/interaction\/([\w-]+)(?:\/([a-z-]+))?$/.exec(ctx.path) ?? []
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
    const handle = uid === undefined ? undefined : handlers[`${method} ${action}`]
    if (uid === undefined || !handle) return await next()
    await handle(ctx, await loadInteraction(ctx, uid))
  }
}
