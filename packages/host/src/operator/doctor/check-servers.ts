import { countOf } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import { listServers, openServers, type TenantServers } from '@storey/provisioning/operator'
import type { Settings } from '../../settings.ts'
import { checkEncryption, checkPooler, checkServer, openControl } from './check-database.ts'
import { readFacts } from './database.store.ts'
import { Findings, reasonOf } from './finding.ts'

const LIMIT_MS = 10_000
const SETTING = 'TENANT_DATABASE_URLS'

/** Opens the database servers without changing anything; undefined if the service would not start with them. */
export async function openReadOnly(
  control: Database,
  controlUrl: string,
  { tenantServers, databaseConnections }: Settings,
  found: Findings,
): Promise<TenantServers | undefined> {
  try {
    return await openServers({
      ...{ control, serverUrl: controlUrl, entries: tenantServers, connections: databaseConnections },
      ...{ masterSecret: '', migrations: [], log: silentLog, isReadOnly: true },
    })
  } catch (err) {
    found.problem(reasonOf(err), `correct ${SETTING}: the service does not start`)
    return undefined
  }
}

/** Checks each server of TENANT_DATABASE_URLS. */
export async function checkServers(
  control: Database,
  servers: TenantServers,
  { tenantServers }: Settings,
  found: Findings,
): Promise<Findings> {
  const states = await listServers(control, servers)
  for (const { id, address, isUp, reason, refusal, sandboxes, takesNew } of states.slice(1)) {
    const name = `${id ?? 'a new server'} (${address})`
    if (refusal !== undefined)
      found.problem(
        `${name}: another control database has used it more recently, so nothing is created or dropped there`,
        'stop the service if its control database is a copy; if it was restored and is the only one, run operator server claim',
      )
    else if (isUp)
      found.ok(`${name} has ${countOf(sandboxes, 'sandbox', 'sandboxes')}${takesNew ? '' : ', and takes no new ones'}`)
    else if (id === undefined && reason?.includes('not used it yet'))
      found.warning(`${name}: ${reason}`, 'start the service')
    else
      found.problem(
        `${name} is unavailable, and with it ${countOf(sandboxes, 'sandbox', 'sandboxes')}: ${reason}`,
        `start it, and check ${SETTING}, its account and the network in between`,
      )
  }
  for (const entry of tenantServers) if (entry !== 'control') await checkOne(entry, found)
  return found
}

async function checkOne(url: URL, found: Findings): Promise<void> {
  const database = openControl(url.href)
  const own = new Findings('database servers')
  try {
    await within(LIMIT_MS, database.ping())
  } catch {
    await database.close()
    return
  }
  try {
    const facts = await within(LIMIT_MS, readFacts(database))
    checkServer(facts, own)
    if (facts.isSuperuser) own.warning(`its role in ${SETTING} is a superuser`, 'CREATEDB and CREATEROLE are enough')
    checkEncryption(facts, url, SETTING, own)
    await checkPooler(url.href, SETTING, own)
  } finally {
    await database.close()
  }
  for (const { level, text, advice } of own.all) {
    const named = `${url.host}: ${text}`
    if (level === 'ok') found.ok(named)
    else if (level === 'warning') found.warning(named, advice!)
    else found.problem(named, advice!)
  }
}
