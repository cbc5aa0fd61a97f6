import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { generate } from 'mqtt-packet'
import { freePort } from '../acceptance/system/system.ts'
import { report } from '../bench/report.ts'
import { closeFixture, type Fixture, openFixture, quantile, type Verdict } from './fixture.ts'
import type { Flood, Flooded } from './flood-thread.ts'
import type { Newcomer, NewcomerSample } from './newcomer-thread.ts'

/**
 * An attacker opens connections from one address, as many as a core can open. An authenticated client at another
 * address, which opens a connection for every request, must not wait for them. A bare Node server under the same flood
 * shows what the machine can do. An argument selects cases by title.
 */

const only = process.argv[3] ?? ''
const SECONDS = Number(process.env.ATTACK_SECONDS ?? 20)
const WARM_UP_MS = 2_000
const AT_A_TIME = 150
/** These limits admit the twenty requests a second that the new client sends. */
const ENVIRONMENT = {
  PROVISIONING_RATE_LIMIT_PER_MINUTE: '10000',
  RATE_LIMIT_PER_MINUTE: '10000',
  SANDBOX_RATE_LIMIT_PER_MINUTE: '10000',
}
const PLAIN = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
const LIVE = '/socket.io/?EIO=4'
const [ATTACKER, NEIGHBOUR] = ['127.0.0.1', '127.0.0.2']

interface Case {
  title: string
  flood: Flood
  newcomer: Newcomer
}

const p99 = (samples: NewcomerSample[]) =>
  quantile(
    samples.map(({ ms }) => ms),
    0.99,
  )
const p50 = (samples: NewcomerSample[]) =>
  quantile(
    samples.map(({ ms }) => ms),
    0.5,
  )

const mqttPort = await freePort()
const direct = await openFixture({ ...ENVIRONMENT, MQTT_ENABLED: 'true', MQTT_PORT: `${mqttPort}` })
const verdicts: Verdict[] = []
for (const one of [...httpCases(direct), ...sandboxCases(direct), ...mqttCases(direct)])
  if (one.title.includes(only)) verdicts.push(await run(one))
const proxied = await openFixture({ ...ENVIRONMENT, TRUSTED_PROXIES: ATTACKER })
for (const one of proxiedCases(proxied)) if (one.title.includes(only)) verdicts.push(await run(one))
await proxied.system.remove()
await closeFixture(direct, verdicts)

function get(fixture: Fixture, path: string, lines: readonly string[] = []): Uint8Array {
  return Buffer.from([`GET ${path} HTTP/1.1`, `Host: localhost:${fixture.port}`, ...lines, '', ''].join('\r\n'))
}

function httpCases(fixture: Fixture): Case[] {
  const { port, key } = fixture
  const bytes = get(fixture, '/api/v1/sandboxes', [`Authorization: Bearer ${key}`])
  const newcomer = { port, from: NEIGHBOUR, bytes, expects: '^HTTP/1.1 200 ' }
  const flood = { port, from: ATTACKER, atATime: AT_A_TIME }
  return [
    { title: 'connections that are opened and reset', flood, newcomer },
    {
      title: 'a connection for each unauthenticated request',
      flood: { ...flood, bytes: get(fixture, '/api/v1/sandboxes') },
      newcomer,
    },
  ]
}

/** The sandbox of the new client itself is flooded. */
function sandboxCases({ port, neighbour }: Fixture): Case[] {
  const { apiUrl, token, buildingId } = neighbour.connection
  const ask = (path: string, ...lines: string[]): Uint8Array =>
    Buffer.from([`GET ${path} HTTP/1.1`, `Host: ${new URL(apiUrl).host}`, ...lines, '', ''].join('\r\n'))
  const spaces = `/api/v1/buildings/${buildingId}/spaces?limit=50`
  const newcomer = {
    port,
    from: NEIGHBOUR,
    bytes: ask(spaces, `Authorization: Bearer ${token}`),
    expects: '^HTTP/1.1 200 ',
  }
  const flood = { port, from: ATTACKER, atATime: AT_A_TIME }
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const webSocket = ask(`${LIVE}&transport=websocket`, ...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
  return [
    {
      title: 'unauthenticated polling of the live channel of the same sandbox',
      flood: { ...flood, bytes: ask(`${LIVE}&transport=polling`) },
      newcomer,
    },
    {
      title: 'unauthenticated WebSockets to the same sandbox',
      flood: { ...flood, bytes: webSocket },
      newcomer,
    },
    {
      title: 'requests with wrong tokens to the same sandbox',
      flood: { ...flood, bytes: ask(spaces, 'Authorization: Bearer wrong') },
      newcomer,
    },
  ]
}

/** Behind a proxy that opens a connection for each request, only the request head identifies the client. */
function proxiedCases(fixture: Fixture): Case[] {
  const { port, key } = fixture
  const as = (address: string, lines: readonly string[] = []) =>
    get(fixture, '/api/v1/sandboxes', [`X-Forwarded-For: ${address}`, ...lines])
  return [
    {
      title: 'a connection for each unauthenticated request behind a trusted proxy',
      flood: { port, from: ATTACKER, atATime: AT_A_TIME, bytes: as('198.51.100.1') },
      newcomer: {
        port,
        from: ATTACKER,
        bytes: as('198.51.100.2', [`Authorization: Bearer ${key}`]),
        expects: '^HTTP/1.1 200 ',
      },
    },
  ]
}

function mqttCases({ neighbour }: Fixture): Case[] {
  const { username, password } = neighbour.connection.mqtt
  const hello = (secret: string) =>
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clientId: '',
      username,
      password: secret,
      clean: true,
    } as never)
  const newcomer = { port: mqttPort, from: NEIGHBOUR, bytes: hello(password), expects: '^ \\x02\\x00\\x00' }
  const flood = { port: mqttPort, from: ATTACKER, atATime: AT_A_TIME }
  return [
    { title: 'MQTT connections that are opened and reset', flood, newcomer },
    { title: 'MQTT connections with a wrong password', flood: { ...flood, bytes: hello('guess') }, newcomer },
  ]
}

/**
 * Measures three times: without a flood, during a flood of the bare server (the machine is as busy, but the service is
 * not attacked), and during a flood of the service.
 */
async function run({ title, flood, newcomer }: Case): Promise<Verdict> {
  const bareServer = fork(new URL('./bare-server.ts', import.meta.url))
  const [barePort] = (await once(bareServer, 'message')) as [number]
  const service = watch(newcomer)
  const bare = watch({ ...newcomer, port: barePort, bytes: PLAIN, expects: '^HTTP/1.1 200 ' })
  const during = async (work: () => Promise<unknown>) => {
    await sleep(WARM_UP_MS)
    await Promise.all([service.take(), bare.take()])
    await work()
    return { service: await service.take(), bare: await bare.take() }
  }
  const quiet = await during(() => sleep(SECONDS * 500))
  const elsewhere = await during(() => send({ ...flood, port: barePort, ...(flood.bytes && { bytes: PLAIN }) }))
  let figures: Flooded = { opened: 0, answered: 0 }
  const here = await during(async () => {
    figures = await send(flood)
  })
  await Promise.all([service.end(), bare.end()])
  bareServer.disconnect()

  const measured = p99(here.service)
  const what = (name: string, { service }: { service: NewcomerSample[] }) =>
    `p99 of a new client during the flood (${name}: ${p99(service).toFixed(1)} ms)`
  const limitOf = ({ service }: { service: NewcomerSample[] }) => 2 * p99(service) + 50
  report(title, [
    { what: what('without a flood', quiet), measured, limit: limitOf(quiet), unit: 'ms' },
    { what: what('while a bare server is flooded', elsewhere), measured, limit: limitOf(elsewhere), unit: 'ms' },
  ])
  const failed = here.service.filter(({ isServed }) => !isServed).length
  process.stdout.write(
    `p50 ${p50(here.service).toFixed(1)} ms; ${here.service.length} new clients, ${failed} not served; ` +
      `${(figures.opened / SECONDS).toFixed(0)} connections a second, ${(figures.answered / SECONDS).toFixed(0)} answered\n` +
      `a bare Node server under the same flood: p50 ${p50(elsewhere.bare).toFixed(1)} ms, p99 ${p99(elsewhere.bare).toFixed(1)} ms; ` +
      `ratio of p99 ${(measured / p99(elsewhere.bare)).toFixed(2)}\n`,
  )
  const limit = Math.max(limitOf(quiet), limitOf(elsewhere))
  return { holds: measured <= limit && failed === 0 && here.service.length > 0 && figures.opened > 0 }
}

function watch(newcomer: Newcomer) {
  const client = new Worker(new URL('./newcomer-thread.ts', import.meta.url), { workerData: newcomer })
  return {
    take: () => ask<NewcomerSample[]>(client, 'take'),
    end: () => ask(client, 'stop'),
  }
}

async function send(flood: Flood): Promise<Flooded> {
  const attacker = new Worker(new URL('./flood-thread.ts', import.meta.url), { workerData: flood })
  await sleep(SECONDS * 1_000)
  return await ask<Flooded>(attacker, 'stop')
}

function ask<T>(worker: Worker, command: string): Promise<T> {
  return new Promise((resolve) => {
    worker.once('message', resolve)
    worker.postMessage(command)
  })
}
