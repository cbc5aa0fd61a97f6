import { claimAt } from '@storey/contract'
import { connect } from '../../clients.ts'
import type { Context, Credential } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { nameValueLines } from '../../output/table.ts'
import { claimsOf, isJwt } from '../../sandbox-token.ts'
import { openStore } from '../../session/open-store.ts'
import { type Body, discoverRealm, fetchUserInfo } from '../../session/realm.ts'
import { embeddedSignIn, type SignIn, signInOf } from '../../session/sign-in.ts'
import { nameOf } from './user-info.ts'

/** Finds the credential, refreshes it if necessary, and asks the realm who the user is. An API key has no user. */
export async function whoAmI(context: Context): Promise<void> {
  const { out } = context
  const service = context.service().url
  const credential = await context.credential()
  if (!isJwt(await credential.token())) return await reportApiKey(context, credential)
  const user = await userOf(context, credential)
  out.answer({ ...user, service, credential: credential.source }, () => {
    const facts: [string, string][] = [
      ['service', service],
      ['organization', String(user.org_id ?? 'none')],
      ['credential', credential.source],
    ]
    return [out.paint('bold', nameOf(user)), '', ...nameValueLines(facts, (text) => out.paint('dim', text))].join('\n')
  })
}

/** The realm does not know API keys, so the provisioning service checks the key. */
async function reportApiKey(context: Context, { source }: Credential): Promise<void> {
  const service = context.service().url
  const { sandboxes } = await context.provisioning()
  const { total } = await sandboxes.list({ limit: 1 })
  const record = { credential: source, kind: 'api-key', service, sandboxes: total }
  context.out.answer(record, () => `An API key from ${source}, accepted by ${service}.`)
}

async function userOf(context: Context, credential: Credential): Promise<Body> {
  const { issuer, organizationClaim } = await signInFor(context, credential)
  const realm = await discoverRealm(connect, issuer)
  const ask = async () => await fetchUserInfo(connect, realm, await credential.token())
  let user = await ask()
  if (user === undefined && (await credential.renew?.())) user = await ask()
  if (user !== undefined) {
    // An access token must have the claim of the organization; the answer of the userinfo endpoint may lack it.
    const org_id = claimAt(claimsOf(await credential.token()), organizationClaim) ?? claimAt(user, organizationClaim)
    return { ...user, ...(typeof org_id === 'string' ? { org_id } : {}) }
  }
  // This request fails if the token is bad, and the service's error is better than the realm's.
  await (await context.provisioning()).sandboxes.list({ limit: 1 })
  throw new CliError(`${issuer} does not report a user for the token from ${credential.source}.`, {
    code: 'NOT_SIGNED_IN',
    next: 'Sign in again with `svc login`.',
  })
}

/** A stored session keeps its issuer, even if the service publishes another issuer now. */
async function signInFor(context: Context, { source }: Credential): Promise<SignIn> {
  const service = context.service().url
  const session = source === 'the stored session' ? await openStore(context).read(service) : undefined
  if (session === undefined) return await signInOf(connect, service)
  const published = await signInOf(connect, service).catch(() => embeddedSignIn(session.issuer))
  return { ...published, issuer: session.issuer }
}
