import { problems } from '@storey/contract'
import { ENGLISH } from '../pages/texts.ts'
import { passwordViolation } from './passwords.ts'

/** Throws VALIDATION_FAILED, in English, if the given password of a new account is refused. */
export function requireGoodPassword(password: string, email: string): void {
  const violation = passwordViolation(password, email)
  if (violation !== undefined) throw problems.field('password', ENGLISH.passwordViolations[violation])
}
