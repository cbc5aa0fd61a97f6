import { PASSWORD_LENGTH } from '../accounts/passwords.ts'
import { type Html, html } from './html.ts'
import { errorMessage, type Page } from './layout.ts'
import type { Words } from './words.ts'

/** What the pages of an interaction, such as sign-in or consent, show and need. */
export interface Step {
  /** The URL to which a form of this step is sent. */
  urlOf(action: string): string
  csrf: string
  words: Words
  clientName: string
  redirectUri: string | undefined
  /** The demo developer of development mode. */
  demo: { email: string; passwordFile: string } | undefined
  /** Where the owner of the sandbox opens its console; undefined in the realm of developers. */
  ownerUrl: string | undefined
}

const hidden = ({ csrf }: Step) => html`<input type="hidden" name="csrf" value="${csrf}">`

const cancel = (step: Step) =>
  html`<form method="post" action="${step.urlOf('cancel')}">${hidden(step)}<button class="plain">${step.words.cancel}</button></form>`

export function signInPage(step: Step, { email, error }: { email?: string; error?: string } = {}): Page {
  return {
    title: step.words.signInTo(step.clientName),
    heading: signInHeading(step),
    formTargets: [step.redirectUri],
    body: html`${step.ownerUrl && ownerHint(step.words, step.ownerUrl)}
${errorMessage(error)}
<form method="post" action="${step.urlOf('sign-in')}">${hidden(step)}
<label for="email">${step.words.email}</label>
<input id="email" name="email" type="email" value="${email}" required ${email ? undefined : html`autofocus`}
 autocomplete="username" maxlength="254">
<label for="password">${step.words.password}</label>
<input id="password" name="password" type="password" required ${email ? html`autofocus` : undefined}
 autocomplete="current-password" maxlength="${PASSWORD_LENGTH.max}">
<button>${step.words.signIn}</button></form>
${step.demo && html`<p class="hint">${step.words.demoPassword(step.demo.email, step.demo.passwordFile)}</p>`}
${cancel(step)}`,
  }
}

/** The heading of the sign-in page. A long address of a sandbox may break before a dot, but not inside a word. */
function signInHeading({ words, clientName }: Step): Html {
  const [before, after] = words.signInTo('\0').split('\0')
  const [slug, ...domain] = clientName.split(/(?=\.)/)
  return html`${before}<span class="name">${slug}${domain.map((part) => html`<wbr>${part}`)}</span>${after}`
}

/** A hint for the owner of the sandbox, whose own password is not valid on this page. */
const ownerHint = (words: Words, url: string) =>
  html`<p class="small">${words.sandboxAccounts} <a href="${url}">${words.fromPortal}</a> ${words.orWith} <code>svc open</code>.</p>`

/** The page for a link of an owner session that was used before or has expired. */
export function usedLinkPage(words: Words, portalUrl: string): Page {
  return {
    title: words.linkUsed,
    status: 400,
    body: html`<p>${words.run} <code>svc open</code> ${words.againOrOpen} <a href="${portalUrl}">${words.fromPortal}</a>.</p>`,
  }
}

export function newPasswordPage(
  step: Step,
  { email, ticket, error }: { email: string; ticket: string; error?: string },
): Page {
  return {
    title: step.words.choosePassword,
    formTargets: [step.redirectUri],
    body: html`<p>${step.words.choosePasswordText}</p>
${errorMessage(error)}
<form method="post" action="${step.urlOf('password')}">${hidden(step)}
<input type="hidden" name="ticket" value="${ticket}">
<label for="email">${step.words.email}</label>
<input id="email" type="email" value="${email}" readonly autocomplete="username">
<label for="password">${step.words.newPassword}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="new-password"
 minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}">
<label for="repeated">${step.words.newPasswordAgain}</label>
<input id="repeated" name="repeated" type="password" required autocomplete="new-password"
 minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}">
<button>${step.words.saveAndSignIn}</button></form>
${cancel(step)}`,
  }
}

export function consentPage(step: Step, scopes: readonly string[]): Page {
  const { words } = step
  return {
    title: words.allowClient(step.clientName),
    formTargets: [step.redirectUri],
    body: html`<p>${words.asksTo}</p><ul>${scopes.flatMap((scope) => (words.scopes[scope] ? html`<li>${words.scopes[scope]}` : []))}</ul>
<form method="post" action="${step.urlOf('consent')}">${hidden(step)}<button>${words.allow}</button></form>
${cancel(step)}`,
  }
}
