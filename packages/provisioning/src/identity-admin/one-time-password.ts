import { randomText } from '@storey/kit/secrets'

const LOWER = 'abcdefghjkmnpqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '23456789'

/**
 * A password for the first sign-in, without characters that look alike. It has letters of both cases, digits and other
 * characters, because the provider may require each of them.
 */
export function newOneTimePassword(): string {
  const group = () =>
    randomText(UPPER, 1) + randomText(LOWER, 2) + randomText(DIGITS, 1) + randomText(LOWER + DIGITS, 1)
  return [group(), group(), group(), group()].join('-')
}
