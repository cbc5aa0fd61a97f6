import { problems } from '@storey/contract'
import { ENGLISH } from '../pages/words.ts'
import { faultOf } from './passwords.ts'

/** For a password that comes over the API. */
export function requireGoodPassword(password: string, email: string): void {
  const fault = faultOf(password, email)
  if (fault !== undefined) throw problems.field('password', ENGLISH.passwordFault[fault])
}
