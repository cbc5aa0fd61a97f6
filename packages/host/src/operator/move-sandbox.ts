import { readMigrations } from '@storey/kit/database'
import { MIGRATIONS_DIRECTORY } from '@storey/platform/program'
import { moveSandbox, type StopAnswer } from '@storey/provisioning/operator'
import { needed } from './arguments.ts'
import type { Command } from './command.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

export const move: Command = {
  argument: 'the id or slug of a sandbox',
  options: ['to'],
  async run({ control, operator, log, print, service, openServers }, { subject, options }) {
    const name = needed(subject, 'the id or slug of a sandbox')
    const to = needed(options.to, '--to')
    const stopStack = async (sandboxId: string) => {
      if (await service.isRunning()) await service.ask<StopAnswer>({ kind: 'stop_stack', sandboxId })
    }
    const migrations = readMigrations(MIGRATIONS_DIRECTORY)
    const { row, ...moved } = await moveSandbox(
      { ...{ control, operator, log, print, migrations, stopStack }, servers: await openServers() },
      name,
      to,
    )
    const left = moved.isSourceDropped ? '' : ` Its database on ${moved.from} could not be dropped: see leftovers.`
    return {
      text: `Moved ${row.slug} (${row.id}) from ${moved.from} to ${moved.to} in ${seconds(moved.tookMs)}, paused for ${seconds(moved.pausedMs)}.${left}`,
      json: { id: row.id, slug: row.slug, ...moved },
    }
  },
}
