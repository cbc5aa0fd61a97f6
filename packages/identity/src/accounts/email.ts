import { problems } from '@storey/contract'

/** An address has no spaces and no control characters. PostgreSQL would refuse a NUL character. */
export const isEmailAddress = (text: string) => text.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text)

/** The canonical form of an email address. */
export function emailAddress(text: string): string {
  const address = text.trim().toLowerCase()
  if (!isEmailAddress(address)) throw problems.field('email', 'email must be an address')
  return address
}
