import type { Client, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { html } from './html.ts'
import { complaint, sendPage } from './layout.ts'

/** The pages that the provider asks for. Those of an interaction stand beside their rules. */
export interface Pages {
  deviceCode(ctx: KoaContextWithOIDC, form: string, out?: ErrorOut, err?: Error): void
  deviceConfirm(ctx: KoaContextWithOIDC, form: string, client: Client, device: unknown, userCode: string): void
  deviceDone(ctx: KoaContextWithOIDC): void
  signOut(ctx: KoaContextWithOIDC): void
  signedOut(ctx: KoaContextWithOIDC): void
  error(ctx: KoaContextWithOIDC, out: ErrorOut, err?: Error): void
}

const secretOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.secret ?? '')

export const pages: Pages = {
  deviceCode(ctx, _form, out, err) {
    const typed = (err as { userCode?: string } | undefined)?.userCode ?? ctx.state.prefilledCode
    const text = err && deviceComplaint(err, out)
    ctx.state.codeWasWrong = err?.name === 'NotFoundError'
    if (err && isUnknownBrowser(ctx)) {
      sendPage(ctx, {
        title: 'This page has expired',
        status: 400,
        body: html`<p><a href="${ctx.oidc.urlFor('code_verification')}">Enter the code again.</a></p>`,
      })
      return
    }
    sendPage(ctx, {
      title: 'Connect a device',
      status: err && ctx.status >= 400 ? ctx.status : 200,
      body: html`<p>Enter the code that the device shows.</p>${complaint(text)}
<form method="post" action="${ctx.oidc.urlFor('code_verification')}">
<input type="hidden" name="xsrf" value="${secretOf(ctx)}">
<label for="code">Code</label>
<input class="code" id="code" name="user_code" value="${typed}" placeholder="XXXX-XXXX" maxlength="20" required
 autofocus autocomplete="off" autocapitalize="characters" spellcheck="false">
<button>Continue</button></form>`,
    })
  },

  deviceConfirm(ctx, _form, client, device, userCode) {
    const { address, program } = device as { address?: string; program?: string }
    sendPage(ctx, {
      title: `Allow ${client.clientName ?? client.clientId}?`,
      body: html`<p>It will act for you until you sign it out, or until it has not been used for 30 days.</p>
<output class="code">${userCode}</output>
<dl>${address ? html`<dt>Asked from<dd>${address}` : undefined}${program ? html`<dt>Program<dd>${program}` : undefined}</dl>
<p class="quiet">Allow it only if you have just started this yourself, and your device shows the same code.</p>
<form method="post" action="${ctx.oidc.urlFor('code_verification')}">
<input type="hidden" name="xsrf" value="${secretOf(ctx)}"><input type="hidden" name="user_code" value="${userCode}">
<button name="confirm" value="yes">Allow</button>
<button class="plain" name="abort" value="yes">Refuse</button></form>`,
    })
  },

  deviceDone(ctx) {
    sendPage(ctx, {
      title: 'The device is connected',
      body: html`<p>${ctx.oidc.client?.clientName ?? 'It'} is signed in. You can close this page.</p>`,
    })
  },

  signOut(ctx) {
    sendPage(ctx, {
      title: 'Sign out?',
      leadsTo: [ctx.oidc.session?.state?.postLogoutRedirectUri as string | undefined],
      body: html`<p>You will have to sign in again to go on.</p>
<form method="post" action="${ctx.oidc.urlFor('end_session_confirm')}">
<input type="hidden" name="xsrf" value="${secretOf(ctx)}">
<button name="logout" value="yes" autofocus>Sign out</button>
<button class="plain">Stay signed in</button></form>`,
    })
  },

  signedOut(ctx) {
    sendPage(ctx, { title: 'You are signed out', body: html`<p>You can close this page.</p>` })
  },

  error(ctx, out, err) {
    sendPage(ctx, { ...errorPage(out.error, out.error_description, err), status: Math.max(ctx.status, 400) })
  },
}

/**
 * True for a browser without a session. The form of a page is bound to one, and the provider would try to keep one that
 * never was.
 */
function isUnknownBrowser({ oidc }: KoaContextWithOIDC): boolean {
  if (!oidc.session || oidc.session.exp !== undefined) return false
  Object.assign(oidc.session, { touched: false })
  return true
}

function deviceComplaint(err: Error, out: ErrorOut | undefined): string {
  switch (err.name) {
    case 'NoCodeError':
      return 'Enter the code first.'
    case 'NotFoundError':
      return 'There is no such code. Check it, or start again on the device.'
    case 'ExpiredError':
      return 'The code has expired. Start again on the device.'
    case 'AlreadyUsedError':
      return 'The code has been used. Start again on the device.'
    case 'AbortedError':
      return 'The device was refused. Nothing was connected.'
    default:
      return out?.error === 'server_error'
        ? 'Something went wrong on our side. Try again in a moment.'
        : 'This page has expired. Enter the code again.'
  }
}

export function errorPage(error: string, description: string | undefined, err?: Error) {
  const [title, advice] =
    err?.name === 'SessionNotFound'
      ? ['This sign-in has expired', 'Go back to the application and start again.']
      : error === 'server_error'
        ? ['Something went wrong on our side', 'Try again in a moment.']
        : error === 'not_found'
          ? ['There is nothing here', 'Check the address, or go back to the application.']
          : [
              'This request cannot be answered',
              'The application that sent you here asked for something that is not allowed.',
            ]
  return {
    title,
    body: html`<p>${advice}</p><p class="quiet"><code>${error}</code>${description ? html`: ${description}` : undefined}</p>`,
  }
}
