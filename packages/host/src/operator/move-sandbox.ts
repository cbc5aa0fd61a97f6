import { readMigrations } from '@storey/kit/database'
import { MIGRATIONS_DIRECTORY } from '@storey/platform/program'
import { adoptDatabase, moveSandbox, type StopAnswer } from '@storey/provisioning/operator'
import { needed } from './arguments.ts'
import type { Command, CommandDeps } from './command.ts'

const SANDBOX = 'the id or slug of a sandbox'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const stopOf =
  ({ service }: CommandDeps) =>
  async (sandboxId: string): Promise<void> => {
    if (await service.isRunning()) await service.ask<StopAnswer>({ kind: 'stop_stack', sandboxId })
  }

export const move: Command = {
  argument: SANDBOX,
  options: ['to'],
  async run(deps, { subject, options }) {
    const { control, operator, log, print, openServers } = deps
    const name = needed(subject, SANDBOX)
    const to = needed(options.to, '--to')
    const stopStack = stopOf(deps)
    const migrations = readMigrations(MIGRATIONS_DIRECTORY)
    const { row, ...moved } = await moveSandbox(
      { ...{ control, operator, log, print, migrations, stopStack }, servers: await openServers() },
      name,
      to,
    )
    const left = moved.isSourceDropped
      ? ''
      : ` Its database on ${moved.from} could not be dropped. To see it, run operator leftovers.`
    return {
      text: `Moved ${row.slug} (${row.id}) from ${moved.from} to ${moved.to} in ${seconds(moved.tookMs)}, paused for ${seconds(moved.pausedMs)}.${left}`,
      json: { id: row.id, slug: row.slug, ...moved },
    }
  },
}

export const adopt: Command = {
  argument: SANDBOX,
  options: ['from'],
  async run(deps, { subject, options }) {
    const { control, operator, log, openServers } = deps
    const name = needed(subject, SANDBOX)
    const { row, before, from } = await adoptDatabase(
      { control, operator, log, servers: await openServers(), stopStack: stopOf(deps) },
      name,
      needed(options.from, '--from'),
    )
    const left =
      before === null ? '' : ` The database that it used on ${before} is quarantined: operator leftovers lists it.`
    return {
      text: `${row.slug} (${row.id}) uses its database on ${from} now.${left}`,
      json: { id: row.id, slug: row.slug, before, from },
    }
  },
}
