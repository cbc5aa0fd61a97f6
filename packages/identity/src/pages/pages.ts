import { PORTAL_CLIENT_ID } from '@storey/contract'
import type { Client, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { DEVICE_PAGE } from '../clients/client-metadata.ts'
import { type ApplicationLink, applicationLink } from '../realm/application-link.ts'
import { type Html, html } from './html.ts'
import { errorMessage, sendPage } from './layout.ts'
import { type Texts, textsOf } from './texts.ts'

/**
 * Functions that the provider library calls to show a page. The pages of an interaction are in interaction-pages.ts.
 */
export interface Pages {
  deviceCode(ctx: KoaContextWithOIDC, form: string, out?: ErrorOut, err?: Error): void
  /** `email`: the email address of the signed-in account; undefined if the browser has no signed-in account. */
  deviceConfirm(
    ctx: KoaContextWithOIDC,
    form: string,
    client: Client,
    device: unknown,
    userCode: string,
    email: string | undefined,
  ): void
  deviceDone(ctx: KoaContextWithOIDC): void
  signOut(ctx: KoaContextWithOIDC): void
  signedOut(ctx: KoaContextWithOIDC): void
  error(ctx: KoaContextWithOIDC, out: ErrorOut, err?: Error): Promise<void>
}

const secretOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.secret ?? '')

export const pages: Pages = {
  deviceCode(ctx, _form, out, err) {
    const typed = (err as { userCode?: string } | undefined)?.userCode ?? ctx.state.prefilledCode
    const texts = textsOf(ctx)
    const codeError = err?.name ?? ctx.state.prefilledError
    const text = codeError && codeErrorText(texts, codeError, out)
    ctx.state.codeWasWrong = codeError === 'NotFoundError'
    if (err && isUnknownBrowser(ctx)) {
      sendPage(ctx, {
        title: texts.pageExpired,
        status: 400,
        body: html`<p><a href="${ctx.oidc.urlFor('code_verification')}">${texts.enterCodeAgain}</a></p>`,
      })
      return
    }
    sendPage(ctx, {
      title: texts.connectDevice,
      status: err && ctx.status >= 400 ? ctx.status : 200,
      body: html`<p>${texts.connectDeviceText}</p>
<form method="post" action="${ctx.oidc.urlFor('code_verification')}">
<input type="hidden" name="xsrf" value="${secretOf(ctx)}">
<label for="code">${texts.code}</label>
<input class="code" id="code" name="user_code" value="${typed}" placeholder="XXXX-XXXX" maxlength="20" required
 autofocus autocomplete="off" autocapitalize="characters" spellcheck="false"
 ${text === undefined ? undefined : html`aria-invalid="true" aria-describedby="error"`}>
${errorMessage(text)}
<button>${texts.continue}</button></form>`,
    })
  },

  deviceConfirm(ctx, _form, client, device, userCode, email) {
    const { address, program } = device as { address?: string; program?: string }
    const texts = textsOf(ctx)
    sendPage(ctx, {
      title: texts.allowClient(client.clientName ?? client.clientId),
      body: html`<p>${email === undefined ? texts.deviceText : texts.deviceTextFor(email)}${anotherAccount(ctx, texts, userCode, email)}</p>
<output class="code">${userCode}</output>
<dl>${address ? html`<dt>${texts.askedFrom}<dd>${address}` : undefined}${program ? html`<dt>${texts.program}<dd>${program}` : undefined}</dl>
<p class="quiet">${texts.deviceCaution}</p>
<form method="post" action="${ctx.oidc.urlFor('code_verification')}">
<input type="hidden" name="xsrf" value="${secretOf(ctx)}"><input type="hidden" name="user_code" value="${userCode}">
<button name="confirm" value="yes">${texts.allow}</button>
<button class="plain" name="abort" value="yes">${texts.refuse}</button></form>`,
    })
  },

  deviceDone(ctx) {
    const { client } = ctx.oidc
    const texts = textsOf(ctx)
    const name = client?.clientName ?? client?.clientId ?? ''
    sendPage(ctx, { title: texts.deviceDone, body: html`<p>${texts.deviceDoneText(name)}</p>` })
  },

  signOut(ctx) {
    const texts = textsOf(ctx)
    sendPage(ctx, {
      title: texts.signOutAsk,
      formTargets: [ctx.oidc.session?.state?.postLogoutRedirectUri as string | undefined],
      body: html`<p>${texts.signOutText}</p>
<form method="post" action="${ctx.oidc.urlFor('end_session_confirm')}">
<input type="hidden" name="xsrf" value="${secretOf(ctx)}">
<button name="logout" value="yes" autofocus>${texts.signOut}</button>
<button class="plain">${texts.staySignedIn}</button></form>`,
    })
  },

  signedOut(ctx) {
    const texts = textsOf(ctx)
    sendPage(ctx, { title: texts.signedOut, body: html`<p>${texts.signedOutText}</p>` })
  },

  async error(ctx, out, err) {
    const page = errorPage(textsOf(ctx), out, err, await applicationLink(ctx, ctx.oidc.provider))
    sendPage(ctx, { ...page, status: Math.max(ctx.status, 400) })
  },
}

/**
 * True for a browser without a stored session. Such a browser gets a page without a form, for which no session is
 * needed, so this function also keeps the provider from storing a new session.
 */
function isUnknownBrowser({ oidc }: KoaContextWithOIDC): boolean {
  if (!oidc.session || oidc.session.exp !== undefined) return false
  Object.assign(oidc.session, { touched: false })
  return true
}

function codeErrorText(texts: Texts, codeError: string, out: ErrorOut | undefined): string {
  switch (codeError) {
    case 'NoCodeError':
      return texts.codeMissing
    case 'NotFoundError':
      return texts.codeUnknown
    case 'ExpiredError':
      return texts.codeExpired
    case 'AlreadyUsedError':
      return texts.codeUsed
    case 'AbortedError':
      return texts.deviceRefused
    default:
      return out?.error === 'server_error' ? `${texts.serverError}. ${texts.serverErrorText}` : texts.devicePageExpired
  }
}

/** A link to use another account. It signs the user out and returns to the page for the user code. */
function anotherAccount(
  { oidc }: KoaContextWithOIDC,
  texts: Texts,
  userCode: string,
  email: string | undefined,
): Html | undefined {
  if (email === undefined) return undefined
  const address = new URL(oidc.urlFor('end_session'))
  address.searchParams.set('client_id', PORTAL_CLIENT_ID)
  address.searchParams.set('post_logout_redirect_uri', `${new URL(oidc.provider.issuer).origin}${DEVICE_PAGE}`)
  address.searchParams.set('state', userCode)
  return html` <a href="${address.href}">${texts.anotherAccount}</a>`
}

export function errorPage(
  texts: Texts,
  out: Pick<ErrorOut, 'error' | 'error_description'>,
  err?: Error,
  link?: ApplicationLink,
) {
  const { error, error_description: description } = out
  const [title, advice] =
    err?.name === 'SessionNotFound'
      ? [texts.signInExpired, texts.signInExpiredText]
      : error === 'server_error'
        ? [texts.serverError, texts.serverErrorText]
        : error === 'not_found'
          ? [texts.notFound, texts.notFoundText]
          : [texts.badRequest, texts.badRequestText]
  return {
    title,
    body: html`<p>${advice}</p>${link ? html`<p><a href="${link.url}">${texts.goTo(link.name)}</a></p>` : undefined}
<p class="quiet"><code>${error}</code>${description ? html`: ${description}` : undefined}</p>`,
  }
}
