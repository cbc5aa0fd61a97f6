import { Problem } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { ConfigError } from '@storey/kit/config'
import { migrate, openDatabase, readMigrations } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { CONTROL_MIGRATIONS } from '@storey/provisioning/operator'
import { openDataFolder } from '../data-folder.ts'
import { openDatabaseServer } from '../database-server.ts'
import { openRealms, type Realms } from '../realms.ts'
import { readSettings } from '../settings.ts'
import { readArguments, USAGE, UsageError } from './arguments.ts'
import { COMMANDS } from './commands.ts'

/** Beside the running service it uses the service's database; alone it starts the embedded one for as long as it needs. */
async function main(): Promise<void> {
  const args = readArguments(process.argv.slice(2), Object.keys(COMMANDS))
  const settings = readSettings(process.env)
  const log = createLog({ level: 'error', form: 'lines', name: 'operator' })
  const folder = openDataFolder(settings.dataDir)
  const masterSecret = folder.masterSecret(settings.masterSecret)
  const { databaseUrl } = settings
  const server = await openDatabaseServer({ databaseUrl, folder, masterSecret, log, attach: true })
  const control = openDatabase({ url: server.controlUrl, log, applicationName: 'storey-operator', maxConnections: 4 })
  let realms: Realms | undefined
  try {
    await control.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS)))
    const answer = await COMMANDS[args.command]!(
      {
        control,
        stacksFolder: folder.sandboxes,
        openRealms: async () => {
          // The address is the running service's own, whatever port it was given.
          const publicUrl = folder.runningAddress() ?? settings.publicUrl
          realms = await openRealms({ ...settings, publicUrl }, { control, masterSecret, clock: systemClock, log })
          return realms
        },
      },
      args,
    )
    if (answer !== '') process.stdout.write(`${answer}\n`)
  } finally {
    await realms?.identity?.close()
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
