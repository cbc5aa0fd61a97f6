import { systemClock } from '@storey/kit/clock'
import { migrate, openDatabase, readMigrations } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { CONTROL_MIGRATIONS, insertOperation } from '@storey/provisioning/operator'
import { isUnused, openDataFolder } from '../data-folder.ts'
import { openDatabaseServer } from '../database-server.ts'
import { openRealms, type Realms } from '../realms.ts'
import { readSettings } from '../settings.ts'
import { type Arguments, readArguments, USAGE } from './arguments.ts'
import type { Output } from './command.ts'
import { COMMANDS } from './commands.ts'
import { operatorName } from './operator-name.ts'
import { createServiceLink } from './service-link.ts'

/** Runs one command and resolves with its output, as text or as JSON. */
export async function runOperator(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  print: (line: string) => void = () => undefined,
): Promise<string> {
  if (['help', '--help', '-h'].includes(argv[0] ?? '')) return USAGE.trimEnd()
  const args = readArguments(argv, COMMANDS)
  const { json } = args.options
  const output = await runCommand(args, env, json ? () => undefined : print)
  return json ? JSON.stringify(output.json, null, 2) : output.text
}

/**
 * It uses the database in DATABASE_URL or the embedded one, which it
 * starts for the duration of the command if no service is running.
 */
async function runCommand(args: Arguments, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<Output> {
  const settings = readSettings(env)
  const log = createLog({ level: 'error', form: 'lines', name: 'operator' })
  const { databaseUrl, dataDir } = settings
  if (isUnused(dataDir) && (databaseUrl === undefined || settings.masterSecret === undefined)) {
    throw new StartupError(
      `No service has used the data folder ${dataDir} yet. Set DATA_DIR to that of your service, or start it first.`,
    )
  }
  const folder = openDataFolder(dataDir)
  const masterSecret = folder.masterSecret(settings.masterSecret)
  const server = await openDatabaseServer({ databaseUrl, folder, masterSecret, log, attach: true })
  const control = openDatabase({ url: server.controlUrl, log, applicationName: 'storey-operator', maxConnections: 4 })
  let realms: Realms | undefined
  try {
    await control.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS)))
    const operator = operatorName(env)
    return await COMMANDS[args.command]!.run(
      {
        control,
        operator,
        record: (db, operation) => insertOperation(db, operator, operation),
        service: createServiceLink(control),
        ...{ masterSecret, serverUrl: server.controlUrl, log, print },
        stacksFolder: folder.sandboxes,
        expiryGraceMs: settings.expiryGraceMs,
        openRealms: async () => {
          // The running service may have another port than the settings.
          const publicUrl = folder.runningAddress() ?? settings.publicUrl
          realms = await openRealms({ ...settings, publicUrl }, { control, masterSecret, clock: systemClock, log })
          return realms
        },
      },
      args,
    )
  } finally {
    await realms?.identity?.close()
    await control.close()
    await server.stop()
  }
}
