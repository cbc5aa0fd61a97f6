import { parseArgs } from 'node:util'
import { KeyScope, Problem } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { ConfigError } from '@storey/kit/config'
import { type Database, migrate, openDatabase, readMigrations } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import {
  CONTROL_MIGRATIONS,
  createOrganizations,
  findLeftovers,
  listSandboxes,
  mintOperatorKey,
} from '@storey/provisioning/operator'
import { openDataFolder } from './data-folder.ts'
import { openDatabaseServer } from './database-server.ts'
import { readSettings } from './settings.ts'

const USAGE = `Usage: npm run --silent operator -- <command>

  org create <name>                      makes an organization and prints its id
  account invite <email> --org <id>      makes a developer of that organization
  key mint --org <id> [--scope sandbox|publish|full] [--account <email>] [--label <text>] [--no-expiry]
                                         prints a new key; without an account it acts for the oldest developer
  sandbox list                           lists the sandboxes of all owners
  leftovers                              lists databases, roles and folders that no sandbox owns; the service sweeps them
`

class UsageError extends Error {}

async function run(args: string[], control: Database, stacksFolder: string): Promise<string> {
  const { values, positionals } = parse(args)
  const organizations = createOrganizations({ control, clock: systemClock })
  const [noun, verb, subject] = positionals
  switch ([noun, verb].filter(Boolean).join(' ')) {
    case 'org create':
      return (await organizations.create(needed(subject, 'a name'))).id
    case 'account invite': {
      const developer = await organizations.invite(needed(subject, 'an email address'), needed(values.org, '--org'))
      return `${developer.id}\t${developer.email}\t${developer.organizationId}`
    }
    case 'key mint': {
      const { plaintext } = await mintOperatorKey(
        { control, clock: systemClock, findDeveloper: organizations.findDeveloper },
        {
          organizationId: needed(values.org, '--org'),
          scope: scopeOf(values.scope),
          neverExpires: values['no-expiry'],
          ...(values.account === undefined ? {} : { email: values.account }),
          ...(values.label === undefined ? {} : { label: values.label }),
        },
      )
      return plaintext
    }
    case 'sandbox list': {
      const rows = await listSandboxes(control)
      return rows
        .map((row) => [row.id, row.slug, row.status, row.developerId, row.expiresAt.toISOString(), row.name].join('\t'))
        .join('\n')
    }
    case 'leftovers': {
      const found = await findLeftovers(control, stacksFolder)
      return Object.entries<string[]>({ ...found })
        .flatMap(([kind, ids]) => ids.map((id) => `${kind}\t${id}`))
        .join('\n')
    }
    default:
      throw new UsageError(`unknown command: ${positionals.join(' ') || '(none)'}`)
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        org: { type: 'string' },
        scope: { type: 'string', default: 'sandbox' },
        account: { type: 'string' },
        label: { type: 'string' },
        'no-expiry': { type: 'boolean', default: false },
      },
    })
  } catch (err) {
    throw new UsageError((err as Error).message)
  }
}

function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`)
  return value
}

function scopeOf(text: string): KeyScope {
  const scope = KeyScope.enum.find((known) => known === text)
  if (scope === undefined) throw new UsageError(`--scope is one of ${KeyScope.enum.join(', ')}, not ${text}`)
  return scope
}

/** Beside the running service it uses the service's database; alone it starts the embedded one for as long as it needs. */
async function main(): Promise<void> {
  const settings = readSettings(process.env)
  const log = createLog({ level: 'error', form: 'lines', name: 'operator' })
  const folder = openDataFolder(settings.dataDir)
  const masterSecret = folder.masterSecret(settings.masterSecret)
  const server = await openDatabaseServer({
    databaseUrl: settings.databaseUrl,
    folder,
    masterSecret,
    log,
    attach: true,
  })
  const control = openDatabase({ url: server.controlUrl, log, applicationName: 'storey-operator', maxConnections: 2 })
  try {
    await control.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS)))
    const answer = await run(process.argv.slice(2), control, folder.sandboxes)
    if (answer !== '') process.stdout.write(`${answer}\n`)
  } finally {
    await control.close()
    await server.stop()
  }
}

main().catch((err: unknown) => {
  if (err instanceof UsageError) {
    process.stderr.write(`operator: ${err.message}\n\n${USAGE}`)
    process.exit(64)
  }
  const known = err instanceof Problem || err instanceof StartupError || err instanceof ConfigError
  process.stderr.write(`operator: ${known ? err.message : ((err as Error).stack ?? err)}\n`)
  process.exit(1)
})
