import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '@storey/kit/config'
import type { Database } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { credentialsIn } from '@storey/kit/url-credentials'
import type { TenantServers } from '@storey/provisioning/operator'
import { isUnused, openDataFolder, runningService } from '../../data-folder.ts'
import { isLockHeld } from '../../database-server.store.ts'
import { type DatabaseServer, openDatabaseServer } from '../../database-server.ts'
import { LEADER_LOCK } from '../../leader.ts'
import type { Settings } from '../../settings.ts'
import type { Output } from '../command.ts'
import { checkBrokers } from './check-brokers.ts'
import { checkDatabase, hasNewestSchema, openControl } from './check-database.ts'
import { checkFolder } from './check-folder.ts'
import { checkIdentity } from './check-identity.ts'
import { checkMasterSecret } from './check-master-secret.ts'
import { checkNetwork } from './check-network.ts'
import { checkSandboxes } from './check-sandboxes.ts'
import { checkServers, openReadOnly } from './check-servers.ts'
import { checkService } from './check-service.ts'
import { checkSettings } from './check-settings.ts'
import { type Finding, Findings, type Level, reasonOf } from './finding.ts'

export interface Diagnosis extends Output {
  /** 0: everything is fine, 1: there are warnings, 2: there are problems. */
  exitCode: 0 | 1 | 2
}

/**
 * Checks the whole installation. It changes nothing, except that it starts the embedded database if that is not
 * running.
 */
export async function runDoctor(environment: Environment): Promise<Diagnosis> {
  const { settings, found } = checkSettings(environment)
  const findings = [...found.all]
  if (settings) findings.push(...(await examine(settings)))
  return diagnosisOf(withoutSecrets(findings, settings))
}

async function examine(settings: Settings): Promise<Finding[]> {
  const folder = findingsOf('data folder', async () => checkFolder(settings))
  const isHere = runningService(settings.dataDir) !== undefined
  const database = await withDatabase(settings)
  const isRunning = isHere || database.isLeading === true
  const rest = [
    findingsOf('service', () => checkService(settings, database.isLeading)),
    findingsOf('identity', () => checkIdentity(settings, isRunning)),
    findingsOf('network', () => checkNetwork(settings, isRunning)),
    findingsOf('brokers', () => checkBrokers(settings)),
  ]
  const [ofFolder, ofService, ...others] = await Promise.all([folder, ...rest])
  return [...ofFolder!, ...ofService!, ...database.findings, ...others.flat()]
}

/** Runs a check. If it throws, the error becomes a finding, so that the other checks still run. */
async function findingsOf(area: string, check: () => Promise<Findings>): Promise<Finding[]> {
  try {
    return (await check()).all
  } catch (err) {
    const found = new Findings(area)
    found.problem(`could not be checked: ${reasonOf(err)}`, 'see the log of the service')
    return found.all
  }
}

/**
 * Checks the database, and the servers and sandboxes that are recorded in it. `isLeading`: whether a service holds the
 * leader lock; undefined: unknown.
 */
async function withDatabase(settings: Settings): Promise<{ findings: Finding[]; isLeading: boolean | undefined }> {
  const found = new Findings('database')
  let server: DatabaseServer | undefined
  let control: Database | undefined
  try {
    server = await openServer(settings, found)
    if (!server) return { findings: found.all, isLeading: undefined }
    control = openControl(server.controlUrl)
    await control.ping()
  } catch (err) {
    const advice = settings.databaseUrl
      ? 'start PostgreSQL, and check DATABASE_URL, its account and the network in between'
      : err instanceof StartupError && /master secret/.test(err.message)
        ? 'restore master-secret in the data folder from a backup, or set MASTER_SECRET'
        : 'see postgres.log in the data folder'
    found.problem(`the database cannot be reached: ${reasonOf(err)}`, advice)
    await control?.close()
    await server?.stop()
    return { findings: found.all, isLeading: undefined }
  }
  const [open, { controlUrl }] = [control, server]
  const stacksFolder = join(settings.dataDir, 'sandboxes')
  let servers: TenantServers | undefined
  let isLeading: boolean | undefined
  try {
    isLeading = await isLockHeld(open, LEADER_LOCK)
    const ofServer = await findingsOf('database', () => checkDatabase(open, controlUrl, settings))
    const ofSecret = await findingsOf('settings', () => checkMasterSecret(open, settings))
    if (!(await hasNewestSchema(open))) return { findings: [...ofSecret, ...ofServer], isLeading }
    const ofList = new Findings('database servers')
    servers = await openReadOnly(open, controlUrl, settings, ofList)
    const ofServers =
      servers && (await findingsOf('database servers', () => checkServers(open, servers!, settings, ofList)))
    const ofSandboxes = await findingsOf('sandboxes', () => checkSandboxes(open, servers, stacksFolder, settings))
    return { findings: [...ofSecret, ...ofServer, ...(ofServers ?? ofList.all), ...ofSandboxes], isLeading }
  } catch (err) {
    found.problem(`could not be checked: ${reasonOf(err)}`, 'see the log of the service')
    return { findings: found.all, isLeading }
  } finally {
    await servers?.close()
    await open.close()
    await server.stop()
  }
}

/** Opens the server of the control database. Returns undefined if the embedded database does not exist yet. */
async function openServer(settings: Settings, found: Findings): Promise<DatabaseServer | undefined> {
  const { databaseUrl, dataDir } = settings
  if (databaseUrl) return { controlUrl: databaseUrl.href, stop: async () => undefined }
  if (isUnused(dataDir) || !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    found.warning('there is no embedded database yet', 'start the service: it creates one')
    return undefined
  }
  const folder = openDataFolder(dataDir)
  const masterSecret = folder.existingMasterSecret(settings.masterSecret)
  return await openDatabaseServer({ databaseUrl, folder, masterSecret, log: silentLog, attach: true })
}

/** Replaces secrets in the findings: messages of drivers and servers can contain secrets that were sent to them. */
function withoutSecrets(findings: readonly Finding[], settings: Settings | undefined): Finding[] {
  const secrets = settings ? secretsOf(settings) : []
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  return findings.map(({ text, advice, ...finding }) => ({
    ...finding,
    text: oneLine(clean(text)),
    ...(advice === undefined ? {} : { advice: oneLine(clean(advice)) }),
  }))
}

function secretsOf(settings: Settings): string[] {
  const { masterSecret, databaseUrl, tenantServers, natsUrls, mqttPassword, identityAdmin } = settings
  const servers = tenantServers.filter((entry) => entry !== 'control')
  const urls = [...(databaseUrl ? [databaseUrl] : []), ...servers, ...natsUrls]
  const passwords = urls.flatMap((url) => [url.password, credentialsIn(url).password])
  // A NATS token is the user name of a URL without a password.
  const tokens = natsUrls
    .filter(({ password }) => password === '')
    .flatMap((url) => [url.username, credentialsIn(url).username])
  return [masterSecret, mqttPassword, identityAdmin?.clientSecret, ...passwords, ...tokens].filter(
    (secret) => secret !== undefined && secret !== '',
  ) as string[]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal could take control characters as commands
const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')

const ORDER: Record<Level, number> = { problem: 0, warning: 1, ok: 2 }

function diagnosisOf(findings: readonly Finding[]): Diagnosis {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const width = Math.max(...findings.map(({ area }) => area.length))
  const sorted = findings.toSorted((a, b) => ORDER[a.level] - ORDER[b.level])
  const lines = sorted.map(({ level, area, text, advice }) => {
    const what = advice === undefined ? text : `${text} → ${advice}`
    return `${level.padEnd('warning'.length)}  ${area.padEnd(width)}  ${what}`
  })
  const summary = `problems: ${problems}, warnings: ${warnings}, ok: ${count('ok')}`
  return {
    text: [...lines, '', summary].join('\n'),
    json: { problems, warnings, findings: sorted },
    exitCode: problems > 0 ? 2 : warnings > 0 ? 1 : 0,
  }
}
