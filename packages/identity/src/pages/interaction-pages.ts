import { PASSWORD_LENGTH } from '../accounts/passwords.ts'
import { type Html, html } from './html.ts'
import { errorMessage, type Page } from './layout.ts'
import type { Texts } from './texts.ts'

/** Where the password of the demo developer is; undefined: the sign-in page does not mention it. */
export type DemoHint = () => { email: string; passwordFile: string } | undefined

/** What the pages of an interaction, such as sign-in or consent, show and need. */
export interface InteractionView {
  /** The URL to which a form of this interaction is sent. */
  urlOf(action: string): string
  csrf: string
  texts: Texts
  clientName: string
  redirectUri: string | undefined
  demo: ReturnType<DemoHint>
  /** Where the owner of the sandbox opens its console; undefined in the realm of developers. */
  ownerUrl: string | undefined
}

const hidden = ({ csrf }: InteractionView) => html`<input type="hidden" name="csrf" value="${csrf}">`

const cancel = (view: InteractionView) =>
  html`<form method="post" action="${view.urlOf('cancel')}">${hidden(view)}<button class="plain">${view.texts.cancel}</button></form>`

export function signInPage(view: InteractionView, { email, error }: { email?: string; error?: string } = {}): Page {
  return {
    title: view.texts.signInTo(view.clientName),
    heading: signInHeading(view),
    formTargets: [view.redirectUri],
    body: html`${view.ownerUrl && ownerHint(view.texts, view.ownerUrl)}
${errorMessage(error)}
<form method="post" action="${view.urlOf('sign-in')}">${hidden(view)}
<label for="email">${view.texts.email}</label>
<input id="email" name="email" type="email" value="${email}" required ${email ? undefined : html`autofocus`}
 autocomplete="username" maxlength="254">
<label for="password">${view.texts.password}</label>
<input id="password" name="password" type="password" required ${email ? html`autofocus` : undefined}
 autocomplete="current-password" maxlength="${PASSWORD_LENGTH.max}">
<button>${view.texts.signIn}</button></form>
${view.demo && html`<p class="hint">${view.texts.demoPassword(view.demo.email, view.demo.passwordFile)}</p>`}
${cancel(view)}`,
  }
}

/** The heading of the sign-in page. A long sandbox address breaks before a dot rather than inside a word. */
function signInHeading({ texts, clientName }: InteractionView): Html {
  const [before, after] = texts.signInTo('\0').split('\0')
  const [slug, ...domain] = clientName.split(/(?=\.)/)
  return html`${before}<span class="name">${slug}${domain.map((part) => html`<wbr>${part}`)}</span>${after}`
}

/** A hint for the owner of the sandbox, whose own password is not valid on this page. */
const ownerHint = (texts: Texts, url: string) =>
  html`<p class="small">${texts.sandboxAccounts} <a href="${url}">${texts.fromPortal}</a> ${texts.orWith} <code>svc open</code>.</p>`

/** The page for a link that would sign the owner of a sandbox in, but was used before or has expired. */
export function usedLinkPage(texts: Texts, portalUrl: string): Page {
  return {
    title: texts.linkUsed,
    status: 400,
    body: html`<p>${texts.run} <code>svc open</code> ${texts.againOrOpen} <a href="${portalUrl}">${texts.fromPortal}</a>.</p>`,
  }
}

export function newPasswordPage(
  view: InteractionView,
  { email, ticket, error }: { email: string; ticket: string; error?: string },
): Page {
  return {
    title: view.texts.choosePassword,
    formTargets: [view.redirectUri],
    body: html`<p>${view.texts.choosePasswordText}</p>
${errorMessage(error)}
<form method="post" action="${view.urlOf('password')}">${hidden(view)}
<input type="hidden" name="ticket" value="${ticket}">
<label for="email">${view.texts.email}</label>
<input id="email" type="email" value="${email}" readonly autocomplete="username">
<label for="password">${view.texts.newPassword}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="new-password"
 minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}">
<label for="repeated">${view.texts.newPasswordAgain}</label>
<input id="repeated" name="repeated" type="password" required autocomplete="new-password"
 minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}">
<button>${view.texts.saveAndSignIn}</button></form>
${cancel(view)}`,
  }
}

export function consentPage(view: InteractionView, scopes: readonly string[]): Page {
  const { texts } = view
  return {
    title: texts.allowClient(view.clientName),
    formTargets: [view.redirectUri],
    body: html`<p>${texts.asksTo}</p><ul>${scopes.flatMap((scope) => (texts.scopes[scope] ? html`<li>${texts.scopes[scope]}` : []))}</ul>
<form method="post" action="${view.urlOf('consent')}">${hidden(view)}<button>${texts.allow}</button></form>
${cancel(view)}`,
  }
}
