import type { Body } from '../../session/realm.ts'

/** How a person is called in a sentence. */
export function nameOf(user: Body): string {
  const named = [user.email, user.preferred_username, user.name, user.sub].find((value) => typeof value === 'string')
  return String(named ?? 'somebody')
}
