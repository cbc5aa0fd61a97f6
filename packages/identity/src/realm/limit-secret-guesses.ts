import type { Clock } from '@storey/kit/clock'
import { sha256 } from '@storey/kit/secrets'
import { type Client, errors, Provider } from 'oidc-provider'
import { type Attempts, secondsUntil } from '../sign-in-attempts/attempts.ts'
import { sameBytes } from '../vault.ts'
import type { Context } from './koa.ts'
import type { RealmName } from './names.ts'

export interface SecretOptions {
  realm: RealmName
  attempts: Attempts
  clock: Clock
  addressOf(ctx: Pick<Context, 'req'>): string
}

/**
 * Compares a service account's secret with its stored hash. Wrong secrets are rate limited. The right secret is
 * accepted even at the limit: it cannot be guessed, and an attacker at the same address must not lock out the owner of
 * the secret.
 */
export function limitSecretGuesses({ realm, attempts, clock, addressOf }: SecretOptions) {
  return async function compareClientSecret(this: Client, actual: string): Promise<boolean> {
    if (sameBytes(sha256(actual), Buffer.from(this.clientSecret ?? '', 'hex'))) return true
    const ctx = Provider.ctx!
    const subject = `${realm} ${this.clientId} ${addressOf(ctx)}`
    const until = await attempts.record([{ kind: 'client secret from address', subject }])
    if (!until) return false
    ctx.set('retry-after', String(secondsUntil(until, clock)))
    throw Object.assign(new errors.OIDCProviderError(429, 'temporarily_unavailable'), {
      error_description: 'too many wrong secrets',
    })
  }
}
