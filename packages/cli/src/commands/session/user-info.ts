import { safeText } from '../../output/safe-text.ts'
import type { Body } from '../../session/realm.ts'

/** The user's name for messages. */
export function nameOf(user: Body): string {
  const named = [user.email, user.preferred_username, user.name, user.sub].find((value) => typeof value === 'string')
  return safeText(String(named ?? 'somebody'))
}
