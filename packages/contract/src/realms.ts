/**
 * The endpoints of the embedded identity provider, as paths below the path of a realm. This list has no paths with an
 * id, such as those of the sign-in pages (`/interaction/…`), because each sign-in has another id.
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
