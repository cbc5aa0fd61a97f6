import { DEFAULT_KEY_SCOPE, KeyScope } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { createOrganizations, mintOperatorKey, revokeKeyByOperator } from '@storey/provisioning/operator'
import { needed, UsageError } from './arguments.ts'
import type { Command } from './command.ts'

const mint: Command = {
  options: ['org', 'scope', 'account', 'label', 'no-expiry'],
  async run({ control, record }, { options }) {
    const { findDeveloper } = createOrganizations({ control, clock: systemClock })
    const organizationId = needed(options.org, '--org')
    const scope = scopeOf(options.scope ?? DEFAULT_KEY_SCOPE)
    const { key, plaintext } = await mintOperatorKey(
      { control, clock: systemClock, findDeveloper },
      {
        ...{ organizationId, scope, neverExpires: options['no-expiry'] },
        ...(options.account === undefined ? {} : { email: options.account }),
        ...(options.label === undefined ? {} : { label: options.label }),
      },
    )
    const { id: keyId, developerId, expiresAt } = key
    await record(control, { command: 'key mint', subject: keyId, details: { organizationId, developerId, scope } })
    return { text: plaintext, json: { keyId, organizationId, developerId, scope, expiresAt, plaintext } }
  },
}

const KEY = 'a key: its id, the beginning of its id, or the key itself'

const revoke: Command = {
  argument: KEY,
  async run({ control, record }, { subject }) {
    const { key, isChanged } = await revokeKeyByOperator(
      { control, clock: systemClock },
      needed(subject, KEY),
      (tx, { id, organizationId, label }) =>
        record(tx, { command: 'key revoke', subject: id, details: { organizationId, label } }),
    )
    const { id: keyId, organizationId, developerId, label } = key
    const name = `${keyId} (${label}) of ${organizationId}`
    const text = isChanged ? `Revoked ${name}.` : `${name} was revoked already.`
    return { text, json: { keyId, organizationId, developerId, label, isChanged } }
  },
}

function scopeOf(text: string): KeyScope {
  const scope = KeyScope.enum.find((known) => known === text)
  if (scope === undefined) throw new UsageError(`--scope must be one of ${KeyScope.enum.join(', ')}, not ${text}`)
  return scope
}

export const KEY_COMMANDS: Record<string, Command> = { 'key mint': mint, 'key revoke': revoke }
