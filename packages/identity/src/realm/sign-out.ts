import type { KoaContextWithOIDC } from 'oidc-provider'

/**
 * Whether the sign-out was asked for by an application that holds an ID token of the very session in this browser. The
 * provider has checked its signature. Any other could be a link that somebody else made.
 */
export function isAskedFromWithin({ oidc }: KoaContextWithOIDC): boolean {
  const { session, client } = oidc
  const { payload } = (oidc.entities.IdTokenHint ?? {}) as { payload?: { sub?: string; sid?: string } }
  if (!session || !client || payload?.sid === undefined) return false
  return payload.sub === session.accountId && payload.sid === session.sidFor(client.clientId)
}

/** Ends the session with all that was granted in it, as the provider does after its question, and leads back. */
export async function signOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { provider, session, cookies } = ctx.oidc
  if (!session) return
  for (const { grantId, persistsLogout } of Object.values(session.authorizations ?? {})) {
    if (grantId === undefined || persistsLogout) continue
    for (const model of [provider.AccessToken, provider.RefreshToken, provider.AuthorizationCode]) {
      await model.revokeByGrantId(grantId)
    }
    await (await provider.Grant.find(grantId))?.destroy()
  }
  await session.destroy()
  cookies.set(provider.cookieName('session'), null, { path: cookiePath(ctx), signed: true })
  leave(ctx)
}

/** Back to where the application wanted, which the provider has checked, else to the page that says it. */
export function leave(ctx: KoaContextWithOIDC): void {
  const { params, session } = ctx.oidc
  const wanted = session?.state?.postLogoutRedirectUri as string | undefined
  const address = new URL(wanted ?? ctx.oidc.urlFor('end_session_success'))
  if (wanted !== undefined && typeof params?.state === 'string') address.searchParams.set('state', params.state)
  ctx.set('cache-control', 'no-store')
  ctx.redirect(address.href)
  ctx.status = 303
}

const cookiePath = ({ oidc }: KoaContextWithOIDC) => new URL(oidc.provider.issuer).pathname
