import { PASSWORD_LENGTH } from '../accounts/passwords.ts'
import { html } from './html.ts'
import { complaint, type Page } from './layout.ts'

export interface Step {
  /** Where the forms of this step go. */
  path: string
  csrf: string
  clientName: string
  redirectUri: string | undefined
}

const hidden = ({ csrf }: Step) => html`<input type="hidden" name="csrf" value="${csrf}">`

const cancel = (step: Step) =>
  html`<form method="post" action="${step.path}/cancel">${hidden(step)}<button class="plain">Cancel</button></form>`

export function signInPage(step: Step, { email, trouble }: { email?: string; trouble?: string } = {}): Page {
  return {
    title: `Sign in to ${step.clientName}`,
    leadsTo: [step.redirectUri],
    body: html`${complaint(trouble)}
<form method="post" action="${step.path}/sign-in">${hidden(step)}
<label for="email">Email</label>
<input id="email" name="email" type="email" value="${email}" required ${email ? undefined : html`autofocus`}
 autocomplete="username" maxlength="254">
<label for="password">Password</label>
<input id="password" name="password" type="password" required ${email ? html`autofocus` : undefined}
 autocomplete="current-password" maxlength="${PASSWORD_LENGTH.max}">
<button>Sign in</button></form>
${cancel(step)}`,
  }
}

export function newPasswordPage(
  step: Step,
  { email, ticket, trouble }: { email: string; ticket: string; trouble?: string },
): Page {
  return {
    title: 'Choose a password',
    leadsTo: [step.redirectUri],
    body: html`<p>The password you were given works once. Choose your own, with at least ${PASSWORD_LENGTH.min} characters.</p>
${complaint(trouble)}
<form method="post" action="${step.path}/password">${hidden(step)}
<input type="hidden" name="ticket" value="${ticket}">
<label for="email">Email</label>
<input id="email" type="email" value="${email}" readonly autocomplete="username">
<label for="password">New password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="new-password"
 minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}">
<label for="repeated">New password again</label>
<input id="repeated" name="repeated" type="password" required autocomplete="new-password"
 minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}">
<button>Save and sign in</button></form>
${cancel(step)}`,
  }
}

const SCOPE_TEXTS: Record<string, string> = {
  openid: 'know who you are',
  email: 'see your email address',
  profile: 'see your name',
  offline_access: 'stay signed in while you are away',
}

export function consentPage(step: Step, scopes: readonly string[]): Page {
  return {
    title: `Allow ${step.clientName}?`,
    leadsTo: [step.redirectUri],
    body: html`<p>It asks to:</p><ul>${scopes.flatMap((scope) => (SCOPE_TEXTS[scope] ? html`<li>${SCOPE_TEXTS[scope]}` : []))}</ul>
<form method="post" action="${step.path}/consent">${hidden(step)}<button>Allow</button></form>
${cancel(step)}`,
  }
}
