import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { randomText } from '@storey/kit/secrets'
import { sameBytes } from '../vault.ts'
import { createTaskQueue, type Waiter } from './task-queue.ts'

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * Hashes two passwords at a time, because scrypt runs in the four threads of the libuv pool, which also serve files and
 * DNS.
 */
const queue = createTaskQueue({ concurrency: 2, maxWaiting: 32 })
/**
 * The default waiter, for passwords that developers or the operator set. The queue accepts any number of them, because
 * the requests that set these passwords are limited elsewhere. Passwords that administrators of a sandbox set have
 * another waiter, with a limit, because many administrators can set passwords at the same time (tenant-people.ts).
 */
const TRUSTED: Waiter = { key: '', isKnown: true, isUnlimited: true }

async function derive(password: string, salt: Buffer, bytes: number, cost: ScryptOptions, by: Waiter): Promise<Buffer> {
  return await queue.run(by, () => scryptAsync(password, salt, bytes, cost))
}

/** scrypt's N. With this value a check takes 32 MB of memory and about 60 ms. */
const WORK = 2 ** 15
const COST = { r: 8, p: 1, maxmem: 64 * 2 ** 20 }
const KEY_BYTES = 32

/** Different keyboards may produce different code points for the same text. */
const normal = (password: string) => password.normalize('NFKC')

export interface Passwords {
  /** Throws TooManyWaiting if too many passwords of `by` wait to be hashed. */
  hash(password: string, by?: Waiter): Promise<string>
  /**
   * Checks the password against a dummy hash. This takes as long as the check for an existing account, so that the time
   * does not reveal whether the account exists.
   */
  verifyDummy(password: string, by?: Waiter): Promise<false>
}

/** `work` is scrypt's N: the cost of a check is proportional to it. */
export function createPasswords(work = WORK): Passwords {
  async function hash(password: string, by: Waiter = TRUSTED): Promise<string> {
    const salt = randomBytes(16)
    const key = await derive(normal(password), salt, KEY_BYTES, { N: work, ...COST }, by)
    return ['scrypt', work, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')
  }
  let dummyHash: Promise<string> | undefined
  return {
    hash,
    async verifyDummy(password, by) {
      dummyHash ??= hash(randomBytes(16).toString('hex'))
      await verifyPassword(password, await dummyHash, by)
      return false
    },
  }
}

/** Throws TooManyWaiting if too many passwords of `by` wait to be hashed. */
export async function verifyPassword(password: string, hash: string, by: Waiter = TRUSTED): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = hash.split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: COST.maxmem }
  const derived = await derive(normal(password), Buffer.from(salt, 'base64url'), KEY_BYTES, cost, by)
  return sameBytes(derived, Buffer.from(key, 'base64url'))
}

/** Whether another check would be refused, because too many checks with the same key wait already. */
export const isFull = queue.isFull

export const PASSWORD_LENGTH = { min: 10, max: 200 } as const

export type PasswordViolation = 'short' | 'long' | 'address' | 'repetitive'

/** The reason why a password is refused; undefined if it is accepted. */
export function passwordViolation(password: string, email: string): PasswordViolation | undefined {
  const { min, max } = PASSWORD_LENGTH
  if (password.length < min) return 'short'
  if (password.length > max) return 'long'
  const [name = ''] = email.split('@')
  if (name.length > 2 && password.toLowerCase().includes(name)) return 'address'
  if (new Set(password).size < 4) return 'repetitive'
  return undefined
}

/** Characters of one-time passwords, without those that look alike. A password has 79 random bits. */
const TYPEABLE = 'abcdefghjkmnpqrstuvwxyz23456789'

export function newOneTimePassword(): string {
  return Array.from({ length: 4 }, () => randomText(TYPEABLE, 4)).join('-')
}
