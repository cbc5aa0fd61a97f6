/** A run of percent-encoded bytes; a character can have several bytes. */
const ENCODED = /(?:%[\da-f]{2})+/gi

/**
 * The decoded user name and password of a URL. A `%` without two hexadecimal digits is itself part of the text, and
 * encoded bytes that are not valid UTF-8 stay as they are.
 */
export const credentialsIn = ({ username, password }: URL): { username: string; password: string } => ({
  username: username.replace(ENCODED, decoded),
  password: password.replace(ENCODED, decoded),
})

function decoded(bytes: string): string {
  try {
    return decodeURIComponent(bytes)
  } catch {
    return bytes
  }
}
