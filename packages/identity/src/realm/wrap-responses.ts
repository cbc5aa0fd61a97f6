import { isUnavailable } from '@storey/kit/database'
import { createUnavailableLog } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { Html, html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { errorPage } from '../pages/pages.ts'
import { textsOf } from '../pages/texts.ts'
import { type ApplicationLink, applicationLink } from './application-link.ts'
import type { Context, Middleware } from './koa.ts'
import { readLocale } from './locale.ts'
import type { RealmName } from './names.ts'
import { redirectAfterSignOut } from './sign-out.ts'

/** Wraps all responses of a realm: errors are sent as a page or as JSON, and the provider's own pages are replaced. */
export function wrapResponses(log: Log, realm: RealmName, provider: Provider): Middleware {
  const sendErrorWithLink = async (ctx: Context, status: number, error: string, err?: errors.OIDCProviderError) =>
    sendError(ctx, status, error, err, await applicationLink(ctx, provider))
  const logUnavailable = createUnavailableLog(log)
  /** Logs an internal error, and responds with 503 if the database is unavailable, otherwise with 500. */
  const fail = (ctx: Context, err: unknown) => {
    if (ctx.req.socket.destroyed) log.debug({ realm }, 'client disconnected before the response')
    else if (isUnavailable(err)) logUnavailable(err, `/realms/${realm}`)
    else log.error({ err, realm }, 'identity request failed')
    if (isUnavailable(err)) sendUnavailable(ctx)
    else sendError(ctx, 500, 'server_error')
  }
  return async (ctx, next) => {
    ctx.state.locale = readLocale(ctx, realm)
    try {
      await next()
      if (ctx.state.serverError !== undefined) fail(ctx, ctx.state.serverError)
      if (ctx.type === 'text/html' && !ctx.state.isPage && !ctx.response.get('location')) replaceScriptedForm(ctx)
    } catch (err) {
      if (err instanceof errors.OIDCProviderError && err.expose) {
        await sendErrorWithLink(ctx, err.statusCode, err.error, err)
      } else fail(ctx, err)
    }
    if (ctx.status === 404 && !ctx.body) await sendErrorWithLink(ctx, 404, 'not_found')
  }
}

/** Responds that the database is temporarily unavailable. */
function sendUnavailable(ctx: Context): void {
  sendError(ctx, 503, 'temporarily_unavailable')
  ctx.set('retry-after', '1')
}

function sendError(
  ctx: Context,
  status: number,
  error: string,
  err?: errors.OIDCProviderError,
  link?: ApplicationLink,
): void {
  const description = err?.error_description
  if (ctx.accepts('json', 'html') === 'html') {
    sendPage(ctx, { ...errorPage(textsOf(ctx), { error, error_description: description }, err, link), status })
  } else {
    ctx.status = status
    ctx.body = description === undefined ? { error } : { error, error_description: description }
  }
}

/**
 * Replaces a page in which the provider submits a form by script, because our pages do not allow scripts. A sign-out
 * without a session has nothing to submit, so the browser is redirected. On any other page the user presses a button.
 */
function replaceScriptedForm(ctx: Context): void {
  if (ctx.oidc?.route === 'end_session') {
    redirectAfterSignOut(ctx as KoaContextWithOIDC)
    return
  }
  const [, action, fields] = /<form method="post" action="([^"]*)">([\s\S]*?)<noscript>/.exec(String(ctx.body)) ?? []
  if (action === undefined || fields === undefined) throw new Error('the provider sent an unexpected page')
  sendPage(ctx, {
    title: textsOf(ctx).oneMoreStep,
    formTargets: [action, ctx.oidc?.session?.state?.postLogoutRedirectUri],
    body: html`<form method="post" action="${new Html(action)}">${new Html(fields)}<button autofocus>${textsOf(ctx).continue}</button></form>`,
  })
}
