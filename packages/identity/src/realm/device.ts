import type { Clock } from '@storey/kit/clock'
import type { Attempts, Counted } from '../attempts/attempts.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { POLL_INTERVAL_S } from './adapter.ts'
import type { Context, Middleware } from './koa.ts'
import { realmPath } from './names.ts'

export interface DeviceOptions {
  attempts: Attempts
  clock: Clock
  addressOf(ctx: Context): string
}

/** What the device grant needs beyond the provider: a pace, a code that is filled in, a limit on guessing it. */
export function serveDevices({ attempts, clock, addressOf }: DeviceOptions): Middleware {
  async function limitGuesses(ctx: Context, next: () => Promise<void>): Promise<void> {
    const counted: Counted[] = [{ kind: 'device code from address', subject: addressOf(ctx) }]
    const until = await attempts.take(counted)
    if (until) {
      ctx.set('retry-after', String(Math.max(1, Math.ceil((until.getTime() - clock.now().getTime()) / 1000))))
      return sendPage(ctx, {
        title: 'Too many wrong codes',
        status: 429,
        body: html`<p>Wait a few minutes, then start again on the device.</p>`,
      })
    }
    await next()
    if (!ctx.state.codeWasWrong) await attempts.takeBack(counted)
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
    // A link fills the code in, and no more: whoever follows it still has to say yes.
    const { user_code: code, ...rest } = ctx.query
    if (typeof code === 'string') {
      ctx.state.prefilledCode = code.slice(0, 20)
      ctx.query = rest
      Object.assign(ctx.req, { originalUrl: `${realmPath('developers')}${ctx.url}` })
    }
    await next()
  }
}
