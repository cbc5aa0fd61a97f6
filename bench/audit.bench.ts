import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { migrate, openDatabase, readMigrations, serverTime } from '@storey/kit/database'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { createHttp } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { createAudit } from '../packages/provisioning/src/features/audit/audit.ts'
import { createAuthenticate } from '../packages/provisioning/src/features/keys/authenticate.ts'
import { markKeysUsed } from '../packages/provisioning/src/features/keys/keys.store.ts'
import { CONTROL_MIGRATIONS, createOrganizations, mintOperatorKey } from '../packages/provisioning/src/operator.ts'
import { median, report } from './report.ts'

/**
 * The cost of auditing key use: the rate of authenticated requests, measured alternately with and without auditing.
 */

const folder = mkdtempSync(join(tmpdir(), 'storey-bench-'))
const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), password: 'bench', log: silentLog })
const control = openDatabase({ url: server.url, log: silentLog, applicationName: 'bench', maxConnections: 20 })
await control.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS)))
const organizations = createOrganizations({ control, clock: systemClock })
const { id: organizationId } = await organizations.create('Bench')
await organizations.invite('bench@example.com', organizationId)
const { plaintext } = await mintOperatorKey(
  { control, clock: systemClock, findDeveloper: organizations.findDeveloper },
  { organizationId, scope: 'sandbox', neverExpires: true },
)

const clockCheck = createClockCheck({ clock: systemClock, serverTime: () => serverTime(control), log: silentLog })
const audit = createAudit({ control, clock: systemClock, clockCheck, log: silentLog, markUsed: markKeysUsed })
const authenticate = createAuthenticate({ control, clock: systemClock, developers: undefined })
async function serve(audited: boolean): Promise<number> {
  const app = await createHttp({
    title: 'Bench',
    description: 'Bench',
    log: silentLog,
    authorize: async (request, access, count) => {
      const { authorization } = request.headers
      await authenticate(authorization, access, (seen) => audited && audit.note(request, seen), count)
    },
    checkReady: async () => undefined,
  })
  if (audited) audit.serve(app)
  app.get('/api/v1/sandboxes', { config: { access: 'sandbox' } }, async () => ({ data: [] }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as { port: number }).port
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 })
const headers = { authorization: `Bearer ${plaintext}` }
const get = (port: number) =>
  new Promise<void>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/api/v1/sandboxes', headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end()
  })

async function rate(port: number): Promise<number> {
  const from = performance.now()
  const workers = Array.from({ length: 32 }, async () => {
    for (let i = 0; i < 100; i++) await get(port)
  })
  await Promise.all(workers)
  return 3_200 / ((performance.now() - from) / 1000)
}

const [plain, audited] = [await serve(false), await serve(true)]
await rate(plain)
await rate(audited)
const ratios: number[] = []
const rates: number[] = []
for (let i = 0; i < 9; i++) {
  const without = await rate(plain)
  rates.push(await rate(audited))
  ratios.push(without / rates.at(-1)!)
}
report('audit', [
  {
    what: 'rate without the audit, as a multiple of the rate with it',
    measured: median(ratios),
    limit: 1.15,
    unit: '×',
  },
])
process.stdout.write(`(${median(rates).toFixed(0)} audited requests a second)\n`)
await audit.close()
await control.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
