import { parseArgs } from 'node:util'

export const USAGE = `Usage: npm run --silent operator -- <command>

  org create <name>                      create an organization and print its id
  account invite <email> --org <id>      create a developer and print a one-time password
  session <email>                        print a portal session token, for scripts
  key mint --org <id> [--scope sandbox|publish|full] [--account <email>] [--label <text>] [--no-expiry]
                                         mint a key and print it; without --account it acts for the first developer
  sandbox list                           list all sandboxes, including expired ones that can be restored
  sandbox restore <id> [--days <n>]      restore an expired sandbox for 14 days, or for <n>
  audit [--org <id>] [--limit <n>]       list attempts with unknown keys, or the audit log of an organization
  dead-letters [list] [--sandbox <id>]   list MQTT messages that the service failed to store
  dead-letters show <id>                 print a dead letter with its payload
  dead-letters resend <id> | --sandbox <id>
                                         let the running service store one dead letter, or all of a sandbox
  dead-letters delete <id>               delete a dead letter
  migrate [--check]                      migrate all sandbox databases; --check only lists those that need it
  leftovers                              list databases, roles and folders without a sandbox, and when they are dropped;
                                         also list sandboxes without a database
  leftovers drop <id>                    drop a leftover now
`

/** The command line is invalid. */
export class UsageError extends Error {}

export type Arguments = ReturnType<typeof readArguments>

/** Reads the command (one or two words), its argument and its options. */
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
