import type { KoaContextWithOIDC } from 'oidc-provider'

/**
 * Whether the request to sign out has an ID token of the session in this browser. Only the application holds this
 * token, and the provider has checked its signature. A request without such a token could come from a link of somebody
 * else.
 */
export function isRequestedByOwnSession({ oidc }: KoaContextWithOIDC): boolean {
  const { session, client } = oidc
  const { payload } = (oidc.entities.IdTokenHint ?? {}) as { payload?: { sub?: string; sid?: string } }
  if (!session || !client || payload?.sid === undefined) return false
  return payload.sub === session.accountId && payload.sid === session.sidFor(client.clientId)
}

/** Ends the session and the grants that end with it, as the provider does after a confirmation, and redirects back. */
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
  redirectAfterSignOut(ctx)
}

/**
 * Redirects to the URL of the application, which the provider has checked, or else to the page "You are signed out".
 */
export function redirectAfterSignOut(ctx: KoaContextWithOIDC): void {
  const { params, session } = ctx.oidc
  const requested = session?.state?.postLogoutRedirectUri as string | undefined
  const url = new URL(requested ?? ctx.oidc.urlFor('end_session_success'))
  if (requested !== undefined && typeof params?.state === 'string') url.searchParams.set('state', params.state)
  ctx.set('cache-control', 'no-store')
  ctx.redirect(url.href)
  ctx.status = 303
}

const cookiePath = ({ oidc }: KoaContextWithOIDC) => new URL(oidc.provider.issuer).pathname
