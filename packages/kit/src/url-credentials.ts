/** A run of percent-encoded bytes; a character can have several bytes. */
const ENCODED = /(?:%[\da-f]{2})+/gi

/**
 * The decoded user name and password of a URL. A `%` that begins no encoded character is itself part of the text, as in
 * the driver of PostgreSQL.
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
