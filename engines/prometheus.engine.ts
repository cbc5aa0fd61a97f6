import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkDashboards } from './prometheus/dashboards.ts'
import { blockFolding, failIngest, failWebhooks, killStack } from './prometheus/outages.ts'
import { recordableAtMs, recordOutage } from './prometheus/record.ts'
import { type Alert, DEPLOYED, type Prometheus, startPrometheus } from './prometheus/server.ts'
import { startWorld } from './prometheus/world.ts'
import { runSuite, type Suite } from './suite.ts'
import { until } from './until.ts'

/**
 * Checks the alert rules and dashboards of `deploy/` on a Prometheus: each outage is caused, and its alert must fire within
 * two minutes and name what is affected. With RECORD=1 the outages are written to `deploy/prometheus/tests`.
 */

const LIMIT_MS = 120_000
const DISK: Expected = { alertname: 'StoreyDiskNearlyFull', labels: { part: 'disk of the data folder' } }
const RESOLVED_LIMIT_MS = 180_000

interface Expected {
  alertname: string
  labels: Record<string, string>
}

const matches = ({ alertname, labels }: Expected, alert: Alert): boolean =>
  alert.labels.alertname === alertname && Object.entries(labels).every(([name, value]) => alert.labels[name] === value)

const describe = ({ alertname, labels }: Expected) => `${alertname} ${JSON.stringify(labels)}`

interface Caused {
  /** The name of the test file. */
  name: string
  title: string
  atMs: number
  expected: readonly Expected[]
}

/** Waits for the alerts of outages that have begun, and records the outages. */
async function expectAlerts(suite: Suite, prometheus: Prometheus, ...outages: readonly Caused[]): Promise<void> {
  await Promise.all(
    outages.map(({ title, atMs, expected }) =>
      suite.check(`${title}: ${expected.map(describe).join(', ')}`, () => untilFiring(prometheus, atMs, expected)),
    ),
  )
  if (process.env.RECORD !== '1') return
  for (const outage of outages) {
    await sleep(Math.max(0, recordableAtMs(outage) - Date.now()))
    const names = new Set(outage.expected.map(({ alertname }) => alertname))
    await recordOutage(prometheus, { ...outage, alerts: await firing(prometheus, (name) => names.has(name)) })
  }
}

async function firing(prometheus: Prometheus, isWanted = (_alertname: string) => true): Promise<Alert[]> {
  const alerts = await prometheus.alerts()
  return alerts.filter(({ state, labels }) => state === 'firing' && isWanted(labels.alertname!))
}

async function untilFiring(prometheus: Prometheus, atMs: number, expected: readonly Expected[]): Promise<string> {
  let fired: Alert[] = []
  const isFiring = (one: Expected) => fired.some((alert) => matches(one, alert))
  await until(
    `${expected.map(describe).join(', ')} fires`,
    async () => {
      await sleep(500)
      fired = await firing(prometheus)
      return expected.every(isFiring)
    },
    atMs + LIMIT_MS - Date.now(),
  )
  for (const one of expected) {
    const { annotations } = fired.find((alert) => matches(one, alert))!
    assert.ok(annotations.action, `${one.alertname} has no action`)
    const { severity: _, part: __, ...named } = one.labels
    for (const name of Object.values(named)) assert.ok(annotations.summary!.includes(name), `no ${name} in the summary`)
  }
  return `after ${Math.round((Date.now() - atMs) / 1000)} s`
}

const untilResolved = (suite: Suite, prometheus: Prometheus, alertname: string) =>
  suite.check(`${alertname} ends with the outage`, () =>
    until(
      `${alertname} ends`,
      async () => {
        await sleep(500)
        return (await prometheus.alerts()).every(({ labels }) => labels.alertname !== alertname)
      },
      RESOLVED_LIMIT_MS,
    ),
  )

await runSuite('prometheus', async (suite) => {
  const world = await startWorld(suite)
  const { first, second, system, disk, nats, postgres, receiver } = world
  const prometheus = await startPrometheus(world.metricsPort)
  suite.onEnd(() => prometheus.remove())
  const monitoredAtMs = Date.now()
  suite.engine('Prometheus', prometheus.version)
  const expect = (...outages: readonly Caused[]) => expectAlerts(suite, prometheus, ...outages)

  await suite.check('promtool accepts the rules and the metrics', async () => {
    prometheus.promtool(['check', 'rules', 'storey.rules.yml'])
    const text = await (await fetch(`http://127.0.0.1:${world.metricsPort}/metrics`)).text()
    const own = text.split('\n').filter((line) => /^(# (HELP|TYPE) )?storey_/.test(line))
    prometheus.promtool(['check', 'metrics'], `${own.join('\n')}\n`)
    return `${own.filter((line) => !line.startsWith('#')).length} series`
  })

  assert.equal((await first.subscribe(receiver.url)).status, 201)
  assert.equal((await first.ingest('21')).status, 202)
  assert.equal((await second.ingest('22')).status, 202)
  await until('the webhook is delivered', () => receiver.state.received > 0)

  await expect({
    ...{
      name: 'certificate-expires',
      title: 'the metrics report a certificate that expires in ten days',
      atMs: monitoredAtMs,
    },
    expected: [
      { alertname: 'StoreyCertificateExpiring', labels: { host: 'localhost', severity: 'warning' } },
      { alertname: 'StoreyCertificateExpiring', labels: { host: '*.localhost', severity: 'warning' } },
    ],
  })
  await suite.check('nothing else fires', async () => {
    const names = (await firing(prometheus)).map(({ labels }) => labels.alertname)
    assert.deepEqual([...new Set(names)], ['StoreyCertificateExpiring'])
  })

  // These outages do not depend on each other, so they are caused at the same time.
  const diskAtMs = Date.now()
  disk?.resize('600m')
  const foldingAtMs = Date.now()
  const unblock = await blockFolding(world)
  const webhooksAtMs = Date.now()
  const endFailures = await failWebhooks(world)
  const repair = await failIngest(world)
  const deadLetterAtMs = Date.now()
  await killStack(world, 3)
  const killedAtMs = Date.now()
  if (!disk) process.stdout.write('  not run: the check of a nearly full disk, which needs the right to mount\n')
  await expect(
    ...(disk ? [{ name: 'disk-nearly-full', title: 'the disk is nearly full', atMs: diskAtMs, expected: [DISK] }] : []),
    {
      ...{ name: 'folding-behind', title: 'folding waits for a long transaction', atMs: foldingAtMs },
      expected: [{ alertname: 'StoreyFoldingBehind', labels: { sandbox: first.sandboxId } }],
    },
    {
      ...{ name: 'webhooks-fail', title: 'the receiver of a webhook fails', atMs: webhooksAtMs },
      expected: [{ alertname: 'StoreyWebhooksFailing', labels: { sandbox: first.sandboxId } }],
    },
    {
      ...{ name: 'dead-letter', title: 'an MQTT message cannot be stored', atMs: deadLetterAtMs },
      expected: [{ alertname: 'StoreyMqttDeadLetters', labels: { sandbox: second.sandboxId } }],
    },
    {
      ...{ name: 'stack-killed', title: 'a stack is killed three times', atMs: killedAtMs },
      expected: [
        { alertname: 'StoreyStackOutOfMemory', labels: { sandbox: second.sandboxId } },
        { alertname: 'StoreyStackRestarting', labels: { sandbox: second.sandboxId } },
      ],
    },
  )
  disk?.resize('4g')
  await unblock()
  await endFailures()
  await repair()
  if (disk) await untilResolved(suite, prometheus, 'StoreyDiskNearlyFull')
  await untilResolved(suite, prometheus, 'StoreyFoldingBehind')
  await suite.check('every expression of the dashboards has a result', () => checkDashboards(prometheus))

  const natsAtMs = Date.now()
  for (const node of [0, 1, 2]) await nats.kill9(node)
  const servers = nats
    .url()
    .split(',')
    .map((url) => new URL(url).host)
  await expect({
    ...{ name: 'nats-down', title: 'all servers of NATS are down', atMs: natsAtMs },
    expected: [
      ...servers.map((server) => ({ alertname: 'StoreyNatsServerDown', labels: { server } })),
      { alertname: 'StoreyNatsDisconnected', labels: { sandbox: first.sandboxId } },
    ],
  })
  for (const node of [0, 1, 2]) await nats.start(node)
  await untilResolved(suite, prometheus, 'StoreyNatsServerDown')

  const databaseAtMs = Date.now()
  await postgres.stop('SIGQUIT')
  await expect({
    ...{ name: 'database-down', title: 'the database server is down', atMs: databaseAtMs },
    expected: [{ alertname: 'StoreyDatabaseDown', labels: { part: 'control database' } }],
  })
  await suite.check('the metrics answered all the time', async () => {
    const [up] = await prometheus.query('min_over_time(up{job="storey"}[3m])')
    const [slowest] = await prometheus.query('max_over_time(scrape_duration_seconds{job="storey"}[3m])')
    assert.equal(up!.value[1], '1')
    return `${Number(slowest!.value[1]).toFixed(1)} s at most`
  })
  await postgres.start()
  await untilResolved(suite, prometheus, 'StoreyDatabaseDown')

  const stoppedAtMs = Date.now()
  await system.stop()
  await expect({
    ...{ name: 'service-down', title: 'the service is down', atMs: stoppedAtMs },
    expected: [{ alertname: 'StoreyDown', labels: { part: 'service' } }],
  })

  await suite.check('promtool: the rules pass with the recorded outages', async () => {
    const files = readdirSync(join(DEPLOYED, 'tests')).map((file) => join('tests', file))
    prometheus.promtool(['test', 'rules', ...files])
    return `${files.length} outages`
  })
})
process.exit()
