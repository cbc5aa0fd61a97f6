import { discoverRealm, type Fetch, postForm } from './realm.ts'
import type { Session } from './session.ts'

/** RFC 7009. Whether the realm was told: what is kept here is forgotten in any case. */
export async function revoke(fetch: Fetch, { issuer, refreshToken }: Session): Promise<boolean> {
  try {
    const realm = await discoverRealm(fetch, issuer)
    if (realm.revocation_endpoint === undefined) return false
    await postForm(fetch, realm.revocation_endpoint, { token: refreshToken, token_type_hint: 'refresh_token' })
    return true
  } catch {
    return false
  }
}
