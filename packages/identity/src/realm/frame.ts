import { isDatabaseGone } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { errors } from 'oidc-provider'
import { Html, html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { errorPage } from '../pages/pages.ts'
import type { Context, Middleware } from './koa.ts'

/** Around everything a realm answers: every refusal is told in the form the caller reads, every page is ours. */
export function frame(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      await next()
      if (ctx.state.isDatabaseGone) wait(ctx)
      if (ctx.type === 'text/html' && !ctx.state.isPage && !ctx.response.get('location')) pauseScriptedForm(ctx)
    } catch (err) {
      if (err instanceof errors.OIDCProviderError && err.expose) {
        tell(ctx, err.statusCode, err.error, err.error_description, err)
      } else if (isDatabaseGone(err)) {
        wait(ctx)
      } else {
        log.error({ err }, 'a realm could not answer')
        tell(ctx, 500, 'server_error')
      }
    }
    if (ctx.status === 404 && !ctx.body) tell(ctx, 404, 'not_found')
  }
}

/** The database restarts: it is a matter of a moment. */
function wait(ctx: Context): void {
  tell(ctx, 503, 'temporarily_unavailable')
  ctx.set('retry-after', '1')
}

function tell(ctx: Context, status: number, error: string, description?: string, err?: Error): void {
  if (ctx.accepts('json', 'html') === 'html') {
    sendPage(ctx, { ...errorPage(error, description, err), status })
  } else {
    ctx.status = status
    ctx.body = description === undefined ? { error } : { error, error_description: description }
  }
}

/** The provider has pages that send a form by script. Here the person presses the button. */
function pauseScriptedForm(ctx: Context): void {
  const [, action, fields] = /<form method="post" action="([^"]*)">([\s\S]*?)<noscript>/.exec(String(ctx.body)) ?? []
  if (action === undefined || fields === undefined) throw new Error('the provider sent a page of its own')
  sendPage(ctx, {
    title: 'One more step',
    leadsTo: [action, ctx.oidc?.session?.state?.postLogoutRedirectUri],
    body: html`<form method="post" action="${new Html(action)}">${new Html(fields)}<button autofocus>Continue</button></form>`,
  })
}
