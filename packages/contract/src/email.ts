import { problems } from './problems.ts'
import { EMAIL_LENGTH } from './text-patterns.ts'

/**
 * The form in which the email address of an account is stored and searched. Most addresses that look the same have the
 * same form.
 */
export const canonicalEmail = (text: string): string => text.trim().normalize('NFC').toLowerCase().normalize('NFC')

const ADDRESS = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u
/** The Braille blank and the object replacement character are invisible too, but lack the property in this pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u
/** Programs that look up a domain treat this character as a dot (UTS 46), but NFKC does not replace it by a dot. */
const IDEOGRAPHIC_DOT = '\u3002'

/** Why a text in canonical form is not an address; undefined if the text is an address. */
export function emailIssue(address: string): string | undefined {
  if (INVISIBLE.test(address)) return 'contains an invisible character'
  if (!ADDRESS.test(address) || address.length > EMAIL_LENGTH) return 'must be an address'
  if (address.endsWith('.')) return 'must not end with a dot'
  if (address.normalize('NFKC') !== address || address.includes(IDEOGRAPHIC_DOT))
    return 'contains a character with a simpler form, such as a full-width letter'
  return undefined
}

/** The canonical form of an email address. Throws if the text is not an address. */
export function emailAddress(text: string): string {
  const address = canonicalEmail(text)
  const issue = emailIssue(address)
  if (issue !== undefined) throw problems.field('email', `email ${issue}`)
  return address
}
