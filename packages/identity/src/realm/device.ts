import type { Clock } from '@storey/kit/clock'
import type { Provider } from 'oidc-provider'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { textsOf } from '../pages/texts.ts'
import { type Attempts, type CounterKey, secondsUntil } from '../sign-in-attempts/attempts.ts'
import { POLL_INTERVAL_S } from './adapter.ts'
import type { Context, Middleware } from './koa.ts'
import { realmPath } from './names.ts'

export interface DeviceOptions {
  provider: Provider
  attempts: Attempts
  clock: Clock
  addressOf(ctx: Context): string
}

/** Additions to the device grant: a poll interval, a prefilled code, and a limit on guessing. */
export function serveDevices({ provider, attempts, clock, addressOf }: DeviceOptions): Middleware {
  async function limitGuesses(ctx: Context, next: () => Promise<void>): Promise<void> {
    const counters: CounterKey[] = [{ kind: 'device code from address', subject: addressOf(ctx) }]
    const until = await attempts.record(counters)
    if (until) {
      ctx.set('retry-after', String(secondsUntil(until, clock)))
      const texts = textsOf(ctx)
      return sendPage(ctx, {
        title: texts.tooManyCodes,
        status: 429,
        body: html`<p>${texts.tooManyCodesText}</p>`,
      })
    }
    await next()
    if (!ctx.state.codeWasWrong) await attempts.undo(counters)
  }

  /** The name of the error that the provider would throw for this code; undefined if the code is valid or empty. */
  async function codeErrorOf(typed: string): Promise<string | undefined> {
    const letters = typed.replace(/\W/g, '').toUpperCase()
    if (letters === '') return undefined
    const code = await provider.DeviceCode.findByUserCode(letters, { ignoreExpiration: true })
    if (!code) return 'NotFoundError'
    if (code.isExpired) return 'ExpiredError'
    return code.error || code.accountId || code.inFlight ? 'AlreadyUsedError' : undefined
  }

  return async (ctx, next) => {
    if (ctx.path === '/device/auth' && ctx.method === 'POST') {
      await next()
      const body = ctx.body as { device_code?: string; interval?: number } | undefined
      if (body?.device_code !== undefined) body.interval = POLL_INTERVAL_S
      return
    }
    if (ctx.path !== '/device') return await next()
    if (ctx.method === 'POST') return await limitGuesses(ctx, next)
    // A link only prefills the code: the user still has to confirm it.
    const { user_code: code, ...rest } = ctx.query
    if (typeof code !== 'string') return await next()
    const typed = code.slice(0, 20)
    ctx.query = rest
    Object.assign(ctx.req, { originalUrl: `${realmPath('developers')}${ctx.url}` })
    await limitGuesses(ctx, async () => {
      ctx.state.prefilledCode = typed
      // A code in an embedded request, such as that of an image on another site, is not checked. Otherwise that site
      // could use up the guesses of its visitors.
      const isPage = ['', 'document'].includes(ctx.get('sec-fetch-dest'))
      ctx.state.prefilledError = isPage ? await codeErrorOf(typed) : undefined
      await next()
    })
  }
}
