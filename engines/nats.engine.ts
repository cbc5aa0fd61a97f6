import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { busSubject, type PointUpdated } from '@storey/contract'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { type System, startSystem } from '../acceptance/system/system.ts'
import { debianProgram } from './fetch/debian.ts'
import { goProgram } from './fetch/go.ts'
import { type Cluster, startCluster } from './nats/cluster.ts'
import { runSuite, type Suite } from './suite.ts'
import { until } from './until.ts'

/** Checks the events of a building over a NATS cluster of three servers with accounts and TLS, which are killed in turn. */

const NEWEST = 'v2.15.2'
const INGEST_EVERY_MS = 50
const OUTAGE_MS = 5_000

/** A sandbox, and a subscriber connected to the NATS cluster that records the values of its point. */
async function openBuilding(system: System, nats: NatsConnection) {
  const { operator, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const { connection } = await newSandbox(key, { name: 'NATS' })
  const { apiUrl, buildingId, token } = connection
  const base = `${apiUrl}/api/v1/buildings/${buildingId}`
  const { json } = await call(`${base}/points?limit=1`, { token })
  const pointId: string = json.data[0].id
  const received: string[] = []
  const subject = busSubject(buildingId, 'building.point.updated')
  nats.subscribe(subject, {
    callback: (_, message) => {
      for (const each of message.json<PointUpdated>().observations)
        if (each.pointId === pointId) received.push(each.value)
    },
  })
  await nats.flush()
  let sent = 0
  async function ingest(): Promise<string> {
    const value = `${++sent}`
    const { status } = await call(`${base}/telemetry/observations`, {
      method: 'POST',
      token,
      body: { observations: [{ pointId, value }] },
    })
    assert.equal(status, 202)
    return value
  }
  /** Ingests until an event arrives, and returns the seconds that it took. */
  async function untilEvents(): Promise<number> {
    const before = received.length
    return until('events arrive', async () => {
      await ingest()
      await sleep(INGEST_EVERY_MS)
      return received.length > before
    })
  }
  return { subject, received, ingest, untilEvents, sentSoFar: () => sent }
}

const linesOf = (system: System, text: string) =>
  system
    .output()
    .split('\n')
    .filter((line) => line.includes(text))

async function checkCluster(suite: Suite, cluster: Cluster): Promise<void> {
  const nats = await cluster.connect('storey')
  suite.onEnd(() => nats.close())
  const system = await startSystem({
    env: {
      NATS_URL: cluster.url(),
      NODE_EXTRA_CA_CERTS: cluster.authority,
      RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'info',
    },
  })
  suite.onEnd(() => system.remove())
  const building = await openBuilding(system, nats)
  const { received, ingest, untilEvents } = building

  await suite.check('events of 200 ingests reach a subscriber of the account, once each and in order', async () => {
    await untilEvents()
    await sleep(300)
    received.length = 0
    const expected: string[] = []
    for (let i = 0; i < 200; i++) expected.push(await ingest())
    await until('all events', () => received.length >= expected.length)
    await sleep(300)
    assert.deepEqual(received, expected)
  })

  await suite.check(
    'a user of another account receives none of these events, and permissions hold within the account',
    async () => {
      const admin = await cluster.connect('admin')
      const cafm = await cluster.connect('cafm')
      const overheard: string[] = []
      const refusals: string[] = []
      admin.subscribe('svc.>', { callback: (_, message) => void overheard.push(message.subject) })
      cafm.subscribe(building.subject, { callback: (err) => void refusals.push(err?.message ?? 'a message') })
      await admin.flush()
      await cafm.flush()
      for (let i = 0; i < 20; i++) await ingest()
      await until('the refusal', () => refusals.length > 0)
      await admin.close()
      await cafm.close()
      assert.deepEqual(overheard, [])
      assert.match(refusals[0]!, /permissions violation/i)
    },
  )

  for (const node of [0, 1, 2]) {
    await suite.check(
      `server ${node + 1} is killed and started again: every ingest succeeds, and events still arrive`,
      async () => {
        const [sentBefore, receivedBefore] = [building.sentSoFar(), received.length]
        await cluster.kill9(node)
        const seconds = await untilEvents()
        await until('steady events', async () => {
          await ingest()
          return building.sentSoFar() - sentBefore >= 60
        })
        await cluster.start(node)
        await untilEvents()
        const sent = building.sentSoFar() - sentBefore
        return `events again after ${seconds.toFixed(1)} s; ${sent} ingests, ${received.length - receivedBefore} events`
      },
    )
  }

  await suite.check(
    'all servers are down: ingest succeeds, with one log line; after their restart, new events arrive',
    async () => {
      const outages = linesOf(system, 'NATS not connected').length
      for (const node of [0, 1, 2]) await cluster.kill9(node)
      for (const end = Date.now() + OUTAGE_MS; Date.now() < end; await sleep(INGEST_EVERY_MS)) await ingest()
      assert.equal(linesOf(system, 'NATS not connected').length, outages + 1)
      for (const node of [0, 1, 2]) await cluster.start(node)
      const seconds = await untilEvents()
      return `events again after ${seconds.toFixed(1)} s`
    },
  )

  await suite.check('no log line has the password', async () => {
    for (const secret of ['st@rey', 'st%40rey']) assert.equal(linesOf(system, secret).length, 0)
  })
}

async function checkMisconfigured(suite: Suite, cluster: Cluster): Promise<void> {
  const cases = [
    { what: 'a wrong password', env: { NATS_URL: cluster.url('wrong'), NODE_EXTRA_CA_CERTS: cluster.authority } },
    { what: 'a certificate of an unknown authority', env: { NATS_URL: cluster.url() } },
  ]
  for (const { what, env } of cases) {
    await suite.check(`${what}: sandboxes work, and one log line names the reason`, async () => {
      const system = await startSystem({ env })
      try {
        const nats = await cluster.connect('storey')
        const { ingest } = await openBuilding(system, nats)
        for (let i = 0; i < 20; i++) await ingest()
        await until('the log line', () => linesOf(system, 'NATS not connected').length > 0)
        await sleep(3_000)
        await nats.close()
        const lines = linesOf(system, 'NATS')
        assert.equal(lines.length, 1, lines.join('\n'))
        return lines[0]!.replace(/^.*?NATS/, 'NATS').trim()
      } finally {
        await system.remove()
      }
    })
  }
}

await runSuite('nats', async (suite) => {
  const newest = { path: goProgram('github.com/nats-io/nats-server/v2', NEWEST, 'nats-server'), env: {} }
  for (const program of [debianProgram('nats-server'), newest]) {
    const cluster = await startCluster(program)
    suite.onEnd(() => cluster.remove())
    suite.engine('nats-server', cluster.version)
    await checkCluster(suite, cluster)
    if (program === newest) await checkMisconfigured(suite, cluster)
  }
})
process.exit()
