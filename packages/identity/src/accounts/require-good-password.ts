import { problems } from '@storey/contract'
import { ENGLISH } from '../pages/texts.ts'
import { passwordViolation } from './passwords.ts'

/** Checks a password that is set without the sign-in pages. */
export function requireGoodPassword(password: string, email: string): void {
  const violation = passwordViolation(password, email)
  if (violation !== undefined) throw problems.field('password', ENGLISH.passwordViolations[violation])
}
