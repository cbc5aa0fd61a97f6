import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const ITERATIONS = 4096

/** Runs in another thread, because the computation takes milliseconds and would block the event loop. */
const derive = promisify(pbkdf2)

/**
 * The form in which PostgreSQL stores a password (RFC 5803). Statements contain it instead of the password, so the
 * password is in no log.
 */
export async function scramVerifier(password: string, salt = randomBytes(16)): Promise<string> {
  const salted = await derive(password, salt, ITERATIONS, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
