import { printableJson } from '@storey/contract/printable'
import { checkedUrl } from '../../address.ts'
import { connect } from '../../clients.ts'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { startProgress } from '../../output/progress.ts'
import { safeText } from '../../output/safe-text.ts'
import { sandboxOfToken } from '../../sandbox-token.ts'
import { openBrowser } from '../../session/browser.ts'
import { type BrowserLogin, startBrowserLogin } from '../../session/browser-login.ts'
import { configFolder } from '../../session/config-folder.ts'
import { awaitApproval, type DeviceCode, startDeviceLogin } from '../../session/device-login.ts'
import { withLock } from '../../session/lock.ts'
import { openStore } from '../../session/open-store.ts'
import { discoverRealm, fetchUserInfo, type Realm } from '../../session/realm.ts'
import { mayEndTogether, revoke } from '../../session/revoke.ts'
import type { Session } from '../../session/session.ts'
import { embeddedSignIn, type SignIn, signInOf } from '../../session/sign-in.ts'
import type { LoginOptions } from './login-options.ts'
import { nameOf } from './user-info.ts'

export async function logIn(context: Context, options: LoginOptions): Promise<void> {
  const { out, clock } = context
  const service = context.service().url
  if (context.options.token !== undefined) {
    throw wrongUsage('--token cannot be used with login, which gets its own token.', 'Omit --token.')
  }
  const store = openStore(context)
  // A store that cannot be used is reported before the user signs in.
  await store.ready()
  const issuer = options.issuer === undefined ? undefined : checkedUrl(options.issuer, '--issuer')
  const signIn = issuer === undefined ? await signInOf(connect, service) : embeddedSignIn(issuer)
  const realm = await discoverRealm(connect, signIn.issuer)
  const login = await startLogin(context, realm, signIn)
  if (options.browser && out.isTerminal) openBrowser(context, login.url)
  context.interruptNote = 'The sign-in was not completed.'
  const progress = startProgress(out, clock.now)
  progress.show('Waiting for the browser', undefined)
  const session = await login.session().finally(() => progress.end())
  const before = await withLock(configFolder(context), async () => {
    const found = await store.read(service).catch(() => undefined)
    await store.write(service, session)
    return found
  })
  context.interruptNote = undefined
  // The previous session is no longer in the store but is still valid in the realm. So it is revoked, unless its
  // revocation could also end the new session.
  if (before !== undefined && !mayEndTogether(session, before, service)) await revoke(connect, before)
  // The login has succeeded, even if this request fails.
  const user = await fetchUserInfo(connect, realm, session.accessToken).catch(() => undefined)
  const name = user === undefined ? '' : ` as ${nameOf(user)}`
  out.answer({ service, issuer: realm.issuer, ...user }, () => `Signed in to ${service}${name}.`)
  out.hint(`The session is stored in ${store.place}.`)
  if (context.env.SVC_API_TOKEN && sandboxOfToken(context.env.SVC_API_TOKEN) === undefined) {
    out.note(
      'SVC_API_TOKEN is set and takes precedence over this session: run `unset SVC_API_TOKEN` to use the session.',
    )
  }
}

/** A login that has printed its address and waits for the browser. */
interface StartedLogin {
  url: string
  session(): Promise<Session>
}

/**
 * Uses the device grant, because the browser may be on another machine. A realm without the device grant needs a
 * browser on this machine.
 */
async function startLogin(context: Context, realm: Realm, signIn: SignIn): Promise<StartedLogin> {
  if (realm.device_authorization_endpoint === undefined) {
    const login = await startBrowserLogin(connect, realm, signIn, context.clock)
    printAddress(context, login)
    return { url: login.url, session: () => login.session }
  }
  const code = await startDeviceLogin(connect, realm, signIn)
  printCode(context, code)
  return {
    url: code.verificationUriComplete ?? code.verificationUri,
    session: () => awaitApproval(connect, realm, signIn.clientId, code, context.clock),
  }
}

function printAddress({ out }: Context, { url, expiresInS }: BrowserLogin): void {
  if (out.format === 'json') out.raw(`${printableJson({ authorizationUri: url, expiresInS })}\n`)
  else out.note(`To sign in, open this address on this machine:\n${safeText(url)}`)
}

/** Prints the address and the code, even if a browser opens. With --format=json they are one line of JSON. */
function printCode({ out }: Context, code: DeviceCode): void {
  const { userCode, verificationUri, verificationUriComplete = verificationUri, expiresInS } = code
  if (out.format === 'json') {
    out.raw(`${printableJson({ userCode, verificationUri, verificationUriComplete, expiresInS })}\n`)
    return
  }
  out.note(`To sign in, open  ${safeText(verificationUriComplete)}`)
  out.note(
    `and ${code.verificationUriComplete ? 'confirm' : 'enter'} the code  ${out.paintNote('bold', safeText(userCode))}`,
  )
}
