import { printable, printableJson } from '@storey/contract/printable'
import { systemClock } from '@storey/kit/clock'
import { compareSchema, type Database, migrate, openDatabase, readMigrations, SchemaAhead } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { MIGRATIONS_DIRECTORY } from '@storey/platform/program'
import { CONTROL_MIGRATIONS, insertOperation, openServers, type TenantServers } from '@storey/provisioning/operator'
import { isUnused, openDataFolder } from '../data-folder.ts'
import { openDatabaseServer } from '../database-server.ts'
import { refuseIncompleteControl } from '../incomplete-control.ts'
import { openRealms, type Realms } from '../realms.ts'
import { refuseWrongSecret } from '../refuse-wrong-secret.ts'
import { readSettings } from '../settings.ts'
import { type Arguments, readArguments, USAGE } from './arguments.ts'
import type { Output } from './command.ts'
import { COMMANDS } from './commands.ts'
import { runDoctor } from './doctor/run-doctor.ts'
import { operatorName } from './operator-name.ts'
import { createServiceLink } from './service-link.ts'

/** The doctor also works without a database. It is not one of COMMANDS, because those commands get an open database. */
const DOCTOR = 'doctor'

/** The output of a command, as text or as JSON, and its exit code. `error` is printed after the output. */
export interface CommandResult {
  output: string
  exitCode: number
  error?: StartupError | undefined
}

/** Runs one command and resolves with its output. */
export async function runOperator(...given: Parameters<typeof runCommandLine>): Promise<string> {
  const { output, error } = await runCommandLine(...given)
  if (error) throw error
  return output
}

export async function runCommandLine(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  print: (line: string) => void = () => undefined,
): Promise<CommandResult> {
  if (['help', '--help', '-h'].includes(argv[0] ?? '')) return { output: USAGE.trimEnd(), exitCode: 0 }
  const args = readArguments(argv, { ...COMMANDS, [DOCTOR]: {} })
  const { json: isJson } = args.options
  const {
    text,
    json,
    exitCode = 0,
    error,
  }: Output = args.command === DOCTOR
    ? await runDoctor(env)
    : await runCommand(args, env, isJson ? () => undefined : (line) => print(printable(line)))
  return { output: isJson ? printableJson(json, 2) : printable(text), exitCode, error }
}

/**
 * Runs a command on the database in DATABASE_URL, or on the embedded one, which is started for the duration of the
 * command if no service is running.
 */
async function runCommand(args: Arguments, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<Output> {
  const settings = readSettings(env)
  const log = createLog({ level: 'error', form: 'lines', name: 'operator' })
  const { databaseUrl, dataDir } = settings
  if (isUnused(dataDir) && (databaseUrl === undefined || settings.masterSecret === undefined)) {
    throw new StartupError(
      `No service has used the data folder ${dataDir} yet. Set DATA_DIR to the data folder of your service, or start the service first.`,
    )
  }
  const folder = openDataFolder(dataDir)
  if (databaseUrl === undefined && !folder.hasDatabase()) {
    throw new StartupError(
      `The data folder ${dataDir} has no database. Set DATABASE_URL to the database of your service, or start the service first.`,
    )
  }
  const masterSecret = folder.existingMasterSecret(settings.masterSecret)
  const command = COMMANDS[args.command]!
  const isReadOnly = command.isReadOnly?.(args) === true
  const server = await openDatabaseServer({ databaseUrl, folder, masterSecret, log, attach: true, isReadOnly })
  const control = openDatabase({ url: server.controlUrl, log, applicationName: 'storey-operator', maxConnections: 4 })
  let realms: Realms | undefined
  let servers: TenantServers | undefined
  try {
    await refuseIncompleteControl(control)
    // With another secret, commands would set wrong passwords of database roles, and store keys that the service cannot
    // decrypt.
    await refuseWrongSecret(control, masterSecret, settings)
    if (isReadOnly) await refuseOtherSchema(control)
    else await control.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS), { log }))
    const operator = operatorName(env)
    const service = createServiceLink(control)
    return await command.run(
      {
        control,
        operator,
        record: (db, operation) => insertOperation(db, operator, operation),
        ...{ service, log, print },
        stacksFolder: folder.sandboxes,
        expiryGraceMs: settings.expiryGraceMs,
        openServers: async () => {
          servers ??= await openServers({
            ...{ control, serverUrl: server.controlUrl, masterSecret, log },
            entries: settings.tenantServers,
            connections: settings.databaseConnections,
            migrations: readMigrations(MIGRATIONS_DIRECTORY),
            isServiceRunning: service.isRunning,
            isReadOnly,
          })
          return servers
        },
        openRealms: async () => {
          // The running service may use another port than the one in these settings.
          const publicUrl = folder.runningAddress() ?? settings.publicUrl
          realms = await openRealms({ ...settings, publicUrl }, { control, masterSecret, clock: systemClock, log })
          return realms
        },
      },
      args,
    )
  } finally {
    await realms?.identity?.close()
    await servers?.close()
    await control.close()
    await server.stop()
  }
}

/** Throws unless the control database has the schema of this program. */
async function refuseOtherSchema(control: Database): Promise<void> {
  const migrations = readMigrations(CONTROL_MIGRATIONS)
  const { state, version } = await control.session((session) => compareSchema(session, migrations))
  if (state === 'ahead') throw new SchemaAhead(version, migrations.length)
  if (state === 'behind')
    throw new StartupError(
      'The control database has an older schema than this program, and this command does not migrate it. Start the service or run operator migrate: both migrate it.',
    )
}
