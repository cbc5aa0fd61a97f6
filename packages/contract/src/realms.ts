/**
 * The endpoints of the embedded identity provider, as paths below the path of a realm. The other paths of a realm
 * contain the id of a sign-in, or belong to the pages of a sign-in.
 */
export const REALM_ENDPOINTS: readonly string[] = [
  '/auth',
  '/device',
  '/device/auth',
  '/jwks',
  '/logout',
  '/logout/confirm',
  '/logout/success',
  '/revoke',
  '/token',
  '/userinfo',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]
