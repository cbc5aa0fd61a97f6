import { countOf, problems } from '@storey/contract'
import { readMigrations } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { MIGRATIONS_DIRECTORY } from '@storey/platform/program'
import {
  dropLeftover,
  type ListedLeftover,
  listLeftovers,
  listMissing,
  listSetAside,
  type Migrated,
  migrateAll,
  migrationsDue,
  RENAME_BACK,
} from '@storey/provisioning/operator'
import { needed } from './arguments.ts'
import type { Command } from './command.ts'
import { lines } from './lines.ts'

const migrate: Command = {
  options: ['check'],
  isReadOnly: ({ options }) => options.check,
  async run({ control, openServers, log, print, record }, { options }) {
    const deps = { control, servers: await openServers(), log, migrations: readMigrations(MIGRATIONS_DIRECTORY) }
    if (options.check) {
      const due = await migrationsDue(deps, { isReadOnly: true })
      for (const { id, slug, from, to, problem } of due) {
        print([id, slug, from ?? 'unknown', to, ...(problem === undefined ? [] : [problem])].join('\t'))
      }
      const stuck = due.filter(({ problem }) => problem !== undefined).length
      return { text: '', json: due, ...failure(stuck, 'cannot be migrated by this version') }
    }
    const done: Migrated[] = []
    const failed = await migrateAll(deps, (migrated) => {
      done.push(migrated)
      print(lineOf(migrated))
    })
    if (done.length > 0)
      await record(control, { command: 'migrate', subject: null, details: { sandboxes: done.map(lineOf), failed } })
    return { text: '', json: done, ...failure(failed, 'could not be migrated') }
  },
}

const lineOf = ({ id, from, to, outcome }: Migrated) => [id, from ?? 'unknown', to, outcome].join('\t')

const failure = (count: number, what: string) =>
  count === 0 ? {} : { error: new StartupError(`${countOf(count, 'sandbox', 'sandboxes')} ${what}.`) }

const leftovers: Command = {
  async run({ control, openServers, stacksFolder }) {
    const servers = await openServers()
    const found = await listLeftovers(control, servers, stacksFolder)
    const setAside = await listSetAside(servers)
    const missing = await listMissing(control)
    const serversWith = (id: string) =>
      found
        .filter((leftover) => leftover.id === id && leftover.kinds.includes('database'))
        .map(({ serverId }) => serverId)
    const missingText = lines(missing, ({ id, slug }) => {
      const advice = serversWith(id).map((server) => `adopt its database from ${server}`)
      return [id, 'database missing', slug, [...advice, 'reset or delete the sandbox'].join(', or ')]
    })
    const unowned = lines(found, ({ id, serverId, kinds, isUnneeded, firstSeenAt, databaseBytes, ...leftover }) => [
      id,
      kinds.join(','),
      isUnneeded ? 'unneeded' : leftover.isNeeded ? 'needed' : 'quarantined',
      `first seen ${firstSeenAt?.toISOString() ?? 'now'}`,
      databaseBytes === null ? 'unknown size' : `${databaseBytes} bytes`,
      ...(serverId === 'control' ? [] : [`on ${serverId}`]),
      fateOf({ kinds, ...leftover }),
    ])
    const asideText = lines(setAside, (name) => [
      name,
      'set aside',
      'to use it, give it the database name of the sandbox that it belongs to; otherwise drop it',
    ])
    return {
      text: [unowned, asideText, missingText].filter(Boolean).join('\n'),
      json: { leftovers: found, setAsideDatabases: setAside, missingDatabases: missing },
    }
  },
}

function fateOf({
  kinds,
  isNeeded,
  ofSandbox,
  dropAt,
}: Pick<ListedLeftover, 'kinds' | 'isNeeded' | 'ofSandbox' | 'dropAt'>): string {
  if (ofSandbox !== null) return `will not be dropped: the database belongs to ${ofSandbox}; ${RENAME_BACK}`
  if (isNeeded) return 'will not be dropped: the sandbox has no other database that can be used'
  const when = dropAt === null ? 'at the next sweep' : `after ${dropAt.toISOString()}`
  return `will be dropped ${when}${kinds.includes('role') ? ', the role only if nothing belongs to it' : ''}`
}

const drop: Command = {
  argument: 'an id',
  options: ['from'],
  async run({ control, openServers, stacksFolder, record }, { subject, options }) {
    const id = needed(subject, 'an id')
    const servers = await openServers()
    const from = options.from === undefined ? undefined : servers.find(options.from)?.id
    if (options.from !== undefined && from === undefined) throw problems.notFound(`database server: ${options.from}`)
    const dropped = await dropLeftover(control, servers, stacksFolder, id, from)
    const what = dropped.map(({ serverId, kinds }) => `${kinds.join(', ')} on ${serverId}`)
    await record(control, { command: 'leftovers drop', subject: id, details: { dropped: what } })
    return { text: `Dropped what was left of ${id}: ${what.join('; ')}.`, json: { id, dropped: what } }
  },
}

export const MAINTENANCE_COMMANDS: Record<string, Command> = { migrate, leftovers, 'leftovers drop': drop }
