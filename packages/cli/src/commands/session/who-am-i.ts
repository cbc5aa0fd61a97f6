import { connect } from '../../clients.ts'
import type { Context, Credential } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { nameValueLines } from '../../output/table.ts'
import { isJwt } from '../../sandbox-token.ts'
import { openStore } from '../../session/open-store.ts'
import { type Body, discoverRealm, fetchUserInfo, issuerOf } from '../../session/realm.ts'
import { nameOf } from './user-info.ts'

/** Finds the credential, refreshes it if necessary, and asks the realm who the user is. An API key has no user. */
export async function whoAmI(context: Context): Promise<void> {
  const { out } = context
  const service = context.service().url
  const credential = await context.credential()
  if (!isJwt(await credential.token())) return await anApiKey(context, credential)
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
async function anApiKey(context: Context, { source }: Credential): Promise<void> {
  const service = context.service().url
  const { sandboxes } = await context.provisioning()
  const { total } = await sandboxes.list({ limit: 1 })
  const record = { credential: source, kind: 'api-key', service, sandboxes: total }
  context.out.answer(record, () => `An API key from ${source}, accepted by ${service}.`)
}

async function userOf(context: Context, credential: Credential): Promise<Body> {
  const issuer = await issuerFor(context, credential)
  const realm = await discoverRealm(connect, issuer)
  const ask = async () => await fetchUserInfo(connect, realm, await credential.token())
  let user = await ask()
  if (user === undefined && (await credential.renew?.())) user = await ask()
  if (user !== undefined) return user
  // The service gives a better error for a bad token than the realm.
  await (await context.provisioning()).sandboxes.list({ limit: 1 })
  throw new CliError(`${issuer} does not report a user for the token from ${credential.source}.`, {
    code: 'NOT_SIGNED_IN',
    next: 'Sign in again with `svc login`.',
  })
}

async function issuerFor(context: Context, { source }: Credential): Promise<string> {
  const service = context.service().url
  const session = source === 'the stored session' ? await openStore(context).read(service) : undefined
  return session?.issuer ?? (await issuerOf(connect, service))
}
