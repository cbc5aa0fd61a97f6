import { parseArgs } from 'node:util'

export const USAGE = `Usage: npm run --silent operator -- <command>

  org create <name>                      makes an organization and prints its id
  account invite <email> --org <id>      makes a developer and prints a password for the first sign-in
  session <email>                        prints a portal session token, for scripts
  key mint --org <id> [--scope sandbox|publish|full] [--account <email>] [--label <text>] [--no-expiry]
                                         prints a new key; without an account it acts for the oldest developer
  sandbox list                           lists the sandboxes of all owners, and those that are expired and still kept
  sandbox restore <id> [--days <n>]      brings back a sandbox that is expired and still kept, for 14 days or so many
  audit [--org <id>] [--limit <n>]       lists uses of keys that nobody has, or the audit of an organization
  dead-letters [list] [--sandbox <id>]   lists MQTT messages at which the service failed, and which it keeps
  dead-letters show <id>                 prints one with its payload
  dead-letters resend <id> | --sandbox <id>
                                         has the running service store it, or all of a sandbox; what is stored is removed
  dead-letters delete <id>               removes it for good
  migrate [--check]                      migrates the databases of all sandboxes that are behind; or tells which ones are
  leftovers                              lists databases, roles and folders that no sandbox owns, and when they are dropped
  leftovers drop <id>                    drops one of them now
`

/** The command line is not one of those above. */
export class UsageError extends Error {}

export type Arguments = ReturnType<typeof readArguments>

/** The command is the longest known run of leading words; what follows it is its subject. */
export function readArguments(args: readonly string[], commands: readonly string[]) {
  const { values: options, positionals } = parse(args)
  const command = [positionals.slice(0, 2).join(' '), positionals[0] ?? ''].find((name) => commands.includes(name))
  if (command === undefined) throw new UsageError(`unknown command: ${positionals.join(' ') || '(none)'}`)
  return { command, subject: positionals[command.split(' ').length], options }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        org: { type: 'string' },
        scope: { type: 'string', default: 'sandbox' },
        account: { type: 'string' },
        label: { type: 'string' },
        'no-expiry': { type: 'boolean', default: false },
        sandbox: { type: 'string' },
        limit: { type: 'string', default: '100' },
        days: { type: 'string' },
        check: { type: 'boolean', default: false },
      },
    })
  } catch (err) {
    throw new UsageError((err as Error).message)
  }
}

export function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`)
  return value
}
