import { parseArgs } from 'node:util'

export const USAGE = `Usage: npm run --silent operator -- <command> [--json]

  doctor                                 check the installation, and print what is wrong and how to fix it;
                                         exit code 0: no problems, 1: warnings, 2: problems

  org create <name>                      create an organization and print its id
  account invite <email> --org <id>      create a developer, and print a one-time password unless an
                                         external identity provider signs developers in
  account disable <email|id> [--keep-sandboxes]
                                         refuse all sessions, tokens and keys of a developer, and suspend their
                                         sandboxes, unless --keep-sandboxes is given
  account enable <email|id>              enable a disabled account, and resume the sandboxes suspended with it
  session <email>                        print a portal session token, for scripts
  key mint --org <id> [--scope sandbox|publish|full] [--account <email>] [--label <text>] [--no-expiry]
                                         mint a key and print it; without --account the key acts for the first
                                         developer of the organization
  key revoke <key>                       revoke a key, by its id, the beginning of its id, or the key itself

  sandbox list [--org <id>] [--limit <n>]
                                         list all sandboxes, newest first, including expired ones that can be restored
  sandbox stop <sandbox>                 stop the stack now; the next call starts it
  sandbox suspend <sandbox> [--reason <text>]
                                         refuse all calls with 403 SANDBOX_SUSPENDED until the sandbox is resumed
  sandbox resume <sandbox>               end the suspension of a sandbox
  sandbox extend <sandbox> --days <n> | --until <time>
                                         change the expiry, without using up the owner's extensions
  sandbox delete <sandbox> --yes         remove a sandbox in any state, with all its data, now
  sandbox move <sandbox> --to <server>   move its database to another server, with a pause of a few seconds; <server> is an
                                         id or address that server list prints
  sandbox adopt <sandbox> --from <server>
                                         use the sandbox's database on this server, after a restore of the control
                                         database; the database that was used before is quarantined
  sandbox restore <sandbox> [--days <n>] restore an expired sandbox for 14 days, or for <n>
  server list                            list the database servers with their state and load
  server drain | resume <server>         place no new sandboxes on the server, or allow new ones again
  server forget <server> --yes           give up a server that is lost; its sandboxes fail, and can be reset or deleted
  server claim --yes                     make the database servers belong to this control database after its restore from a
                                         backup; a service with another copy of it is then refused. Run this only if no other
                                         copy is in use
  stack list                             list stacks with memory, database connections, requests in progress and last use

  audit [--org <id> | --operator] [--limit <n>]
                                         list attempts with unknown keys, the audit log of an organization, or what
                                         operator commands have changed
  dead-letters [list] [--sandbox <id>]   list MQTT messages that the service failed to store
  dead-letters show <id>                 print a dead letter with its payload
  dead-letters resend <id> | --sandbox <id>
                                         let the running service store one dead letter, or all those of a sandbox
  dead-letters delete <id>               delete a dead letter
  migrate [--check]                      migrate all sandbox databases; --check only lists those that need it
  leftovers                              list databases, roles and folders without a sandbox, and when they are dropped;
                                         also list sandboxes without a database
  leftovers drop <id> [--from <server>]  drop a leftover now; --from is required if several servers have this database

<sandbox> is the id or the slug of a sandbox. --json prints JSON, and errors as JSON too.
Exit codes: 0, 1 if the command failed, 64 if the command line is wrong.
`

/** The command line is invalid. */
export class UsageError extends Error {}

const OPTIONS = {
  json: { type: 'boolean', default: false },
  org: { type: 'string' },
  from: { type: 'string' },
  scope: { type: 'string' },
  account: { type: 'string' },
  label: { type: 'string' },
  'no-expiry': { type: 'boolean', default: false },
  sandbox: { type: 'string' },
  limit: { type: 'string' },
  days: { type: 'string' },
  until: { type: 'string' },
  reason: { type: 'string' },
  to: { type: 'string' },
  yes: { type: 'boolean', default: false },
  'keep-sandboxes': { type: 'boolean', default: false },
  operator: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
} as const

export type OptionName = Exclude<keyof typeof OPTIONS, 'json'>

/** What a command accepts. */
export interface Syntax {
  /** The name of the argument in error messages; absent if the command has no argument. */
  argument?: string
  options?: readonly OptionName[]
}

export type Arguments = ReturnType<typeof readArguments>

/** Reads the command (one or two words), its argument and its options. */
export function readArguments(args: readonly string[], commands: Readonly<Record<string, Syntax>>) {
  const { values: options, positionals, tokens } = parse(args)
  const command = [positionals.slice(0, 2).join(' '), positionals[0] ?? ''].find((name) =>
    Object.hasOwn(commands, name),
  )
  if (command === undefined) throw new UsageError(`unknown command: ${positionals.join(' ') || '(none)'}`)
  const { argument, options: accepted = [] } = commands[command]!
  const [subject, ...rest] = positionals.slice(command.split(' ').length)
  const unexpected = argument === undefined ? subject : rest[0]
  if (unexpected !== undefined) throw new UsageError(`unexpected argument of ${command}: ${unexpected}`)
  for (const token of tokens) {
    if (token.kind !== 'option' || token.name === 'json') continue
    if (!accepted.some((name) => name === token.name)) throw new UsageError(`${command} has no option ${token.rawName}`)
  }
  return { command, subject, options }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, tokens: true, options: OPTIONS })
  } catch (err) {
    throw new UsageError((err as Error).message)
  }
}

export function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`)
  return value
}

export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new UsageError(`${option} must be a number from ${min} to ${max}, not ${text}`)
  }
  return value
}
