import { KeyScope, LIMITS } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { type Database, readMigrations } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { MIGRATIONS_DIRECTORY } from '@storey/platform/program'
import {
  createOrganizations,
  dropLeftover,
  listLeftovers,
  listMissing,
  listSandboxes,
  migrateAll,
  migrationsDue,
  mintOperatorKey,
  operatorAudit,
  restoreSandbox,
} from '@storey/provisioning/operator'
import type { Realms } from '../realms.ts'
import { type Arguments, needed, UsageError } from './arguments.ts'
import { DEAD_LETTER_COMMANDS } from './dead-letters.ts'
import { lines } from './lines.ts'

export interface CommandDeps {
  control: Database
  masterSecret: string
  serverUrl: string
  log: Log
  /** Prints a line while the command runs. */
  print(line: string): void
  stacksFolder: string
  expiryGraceMs: number
  /** Opens the realms. Only commands that need realms call it, because it is slow. */
  openRealms(): Promise<Realms>
}

type Command = (deps: CommandDeps, args: Arguments) => Promise<string>

/** Commands by name. Each resolves with its output. */
export const COMMANDS: Record<string, Command> = {
  'org create': async ({ control }, { subject }) => {
    const { id } = await organizationsOf(control).create(needed(subject, 'a name'))
    return id
  },

  'account invite': async ({ control, openRealms }, { subject, options }) => {
    const organizations = organizationsOf(control)
    const developer = await organizations.invite(needed(subject, 'an email address'), needed(options.org, '--org'))
    const { identity, developersIssuer } = await openRealms()
    const row = [developer.id, developer.email, developer.organizationId]
    if (identity?.issuers.developers !== developersIssuer) return row.join('\t')
    const { oneTimePassword } = await identity.developers.create(developer)
    return [...row, oneTimePassword].join('\t')
  },

  session: async ({ openRealms }, { subject }) => {
    const { identity, developersIssuer } = await openRealms()
    if (identity?.issuers.developers !== developersIssuer) {
      throw new StartupError(`Sessions are issued by ${developersIssuer}: sign in there.`)
    }
    const email = needed(subject, 'an email address')
    const developer = await identity.developers.find(email.toLowerCase())
    if (!developer) throw new StartupError(`Developer ${email} not found.`)
    return await identity.portalToken(developer.id)
  },

  'key mint': async ({ control }, { options }) => {
    const { plaintext } = await mintOperatorKey(
      { control, clock: systemClock, findDeveloper: organizationsOf(control).findDeveloper },
      {
        organizationId: needed(options.org, '--org'),
        scope: scopeOf(options.scope),
        neverExpires: options['no-expiry'],
        ...(options.account === undefined ? {} : { email: options.account }),
        ...(options.label === undefined ? {} : { label: options.label }),
      },
    )
    return plaintext
  },

  'sandbox list': async ({ control, expiryGraceMs }) =>
    lines(await listSandboxes(control), (row) => [
      row.id,
      row.slug,
      row.removingAt ? 'removing' : row.expiredAt ? 'expired' : row.status,
      row.developerId,
      row.expiresAt.toISOString(),
      row.name,
      ...(row.expiredAt ? [`kept until ${new Date(row.expiredAt.getTime() + expiryGraceMs).toISOString()}`] : []),
    ]),

  'sandbox restore': async ({ control }, { subject, options }) => {
    const id = needed(subject, 'a sandbox id')
    const { min, max } = LIMITS.sandbox.ttlDays
    const days = options.days === undefined ? undefined : wholeNumber('--days', options.days, min, max)
    const row = await restoreSandbox(control, id, days)
    return [row.id, row.slug, row.status, row.expiresAt.toISOString()].join('\t')
  },

  audit: async ({ control }, { options }) => {
    const limit = wholeNumber('--limit', options.limit, 1, 500)
    const { data } = await operatorAudit(control, options.org ?? null, { limit })
    return lines(data, (row) => [
      row.at,
      row.action,
      row.outcome,
      row.reason,
      row.keyId,
      row.actor,
      row.route,
      row.sourceIp,
      row.count,
    ])
  },

  migrate: async ({ control, masterSecret, serverUrl, log, print }, { options }) => {
    const deps = { control, masterSecret, serverUrl, log, migrations: readMigrations(MIGRATIONS_DIRECTORY) }
    if (options.check) {
      const due = await migrationsDue(deps)
      for (const { id, slug, from, to, problem } of due) {
        print([id, slug, from ?? 'unknown', to, ...(problem === undefined ? [] : [problem])].join('\t'))
      }
      const stuck = due.filter(({ problem }) => problem !== undefined).length
      if (stuck > 0) throw new StartupError(`${stuck} sandboxes cannot be migrated by this version.`)
      return ''
    }
    const failed = await migrateAll(deps, print)
    if (failed > 0) throw new StartupError(`${failed} sandboxes could not be migrated.`)
    return ''
  },

  leftovers: async ({ control, stacksFolder }) => {
    const found = await listLeftovers(control, stacksFolder)
    const missing = lines(await listMissing(control), ({ id, slug }) => [
      id,
      'database missing',
      slug,
      'reset or delete it',
    ])
    const unowned = lines(found, ({ id, kinds, isProven, firstSeenAt, databaseBytes, dropAt }) => [
      id,
      kinds.join(','),
      isProven ? 'leftover' : 'quarantined',
      `first seen ${firstSeenAt?.toISOString() ?? 'now'}`,
      `${databaseBytes} bytes`,
      `dropped ${dropAt === null ? 'at the next sweep' : `after ${dropAt.toISOString()}`}`,
    ])
    return [unowned, missing].filter(Boolean).join('\n')
  },

  'leftovers drop': async ({ control, stacksFolder }, { subject }) => {
    await dropLeftover(control, stacksFolder, needed(subject, 'an id'))
    return ''
  },

  ...DEAD_LETTER_COMMANDS,
}

const organizationsOf = (control: Database) => createOrganizations({ control, clock: systemClock })

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new UsageError(`${option} must be a number from ${min} to ${max}`)
  }
  return value
}

function scopeOf(text: string): KeyScope {
  const scope = KeyScope.enum.find((known) => known === text)
  if (scope === undefined) throw new UsageError(`--scope must be one of ${KeyScope.enum.join(', ')}, not ${text}`)
  return scope
}
