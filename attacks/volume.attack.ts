import { Agent, request } from 'node:http'
import { BASE62, keyText } from '../packages/contract/src/keys.ts'
import { randomText } from '../packages/kit/src/secrets.ts'
import { closeFixture, type Fixture, openFixture, type Verdict, whileNeighbourWorks } from './fixture.ts'

/**
 * Many requests. One address sends unknown keys for a minute, which must add only a few rows to the audit. Then twenty
 * service accounts of one sandbox send requests at the same time, and must stay within the sandbox's rate limit.
 */

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60)
const CONNECTIONS = 16
const SERVICE_ACCOUNTS = 20
const SANDBOX_LIMIT = 1000
/**
 * For each status the audit has a row for the first attempt, and a row for every minute of further attempts. The limit
 * of twelve rows leaves a margin.
 */
const MAX_ROWS = 12

const fixture = await openFixture()
const verdicts = [await unknownKeys(fixture), await manyServiceAccounts(fixture)]
await closeFixture(fixture, verdicts)

async function unknownKeys(fixture: Fixture): Promise<Verdict> {
  const { port, actors } = fixture
  const rowsOf = async () => (await actors.operator('audit', '--limit', '500')).split('\n').filter(Boolean)
  const before = (await rowsOf()).length
  const statuses = new Map<number, number>()
  const verdict = await whileNeighbourWorks(fixture, 'unknown keys', { seconds: SECONDS }, (over) =>
    sendManyRequests(over, statuses, () => ({
      ...{ host: `localhost:${port}`, port, path: '/api/v1/sandboxes' },
      token: keyText(randomText(BASE62, 40)),
      userAgent: `guess/${Math.random()}`,
    })),
  )
  // The audit writes the count of repeated denials when their minute is over.
  await new Promise((resolve) => setTimeout(resolve, 61_000))
  const rows = (await rowsOf()).slice(0, (await rowsOf()).length - before)
  const counted = rows.reduce((sum, row) => sum + Number(row.split('\t').at(-1)), 0)
  const tried = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  process.stdout.write(
    `${tried} attempts (${inWords(statuses)}): ${rows.length} audit rows, which count ${counted} requests\n`,
  )
  return { holds: verdict.holds && rows.length <= MAX_ROWS && rows.length > 0 && counted >= tried * 0.99 }
}

async function manyServiceAccounts(fixture: Fixture): Promise<Verdict> {
  const { port, actors, key, target, system } = fixture
  const { sandboxId } = target.record
  const tokens: string[] = []
  for (let i = 0; i < SERVICE_ACCOUNTS; i++) {
    const path = `/api/v1/sandboxes/${sandboxId}/service-accounts`
    const { json } = await actors.api(key, path, { body: { name: `account ${i}`, roles: ['user'] } })
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    const authorization = `Basic ${Buffer.from(`${json.clientId}:${json.clientSecret}`).toString('base64')}`
    const answer = await fetch(`${system.url}/realms/sandboxes/token`, {
      method: 'POST',
      body,
      headers: { authorization },
    })
    tokens.push(((await answer.json()) as { access_token: string }).access_token)
  }
  const { apiUrl, buildingId } = target.connection
  const statuses = new Map<number, number>()
  let next = 0
  const verdict = await whileNeighbourWorks(fixture, 'twenty service accounts', { seconds: SECONDS }, (over) =>
    sendManyRequests(over, statuses, () => ({
      ...{ host: new URL(apiUrl).host, port, path: `/api/v1/buildings/${buildingId}/spaces?limit=50` },
      token: tokens[next++ % tokens.length]!,
      userAgent: 'account',
    })),
  )
  const passed = statuses.get(200) ?? 0
  // After a minute the requests of the first second no longer count, so a run of 60 s can get the limit twice.
  const max = SANDBOX_LIMIT * Math.ceil(SECONDS / 60 + 0.01)
  process.stdout.write(`${passed} passed (${inWords(statuses)}); the limit is ${max}\n`)
  return { holds: verdict.holds && passed > 0 && passed <= max && (statuses.get(429) ?? 0) > 0 }
}

interface RequestToSend {
  host: string
  port: number
  path: string
  token: string
  userAgent: string
}

/** Sends requests as fast as the connections allow. */
async function sendManyRequests(
  over: AbortSignal,
  statuses: Map<number, number>,
  nextRequest: () => RequestToSend,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const one = ({ host, port, path, token, userAgent }: RequestToSend) =>
    new Promise<number>((resolve) => {
      const headers = { host, authorization: `Bearer ${token}`, 'user-agent': userAgent }
      const sent = request({ host: '127.0.0.1', port, path, headers, agent }, (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode!))
      })
      sent.on('error', () => resolve(0))
      sent.end()
    })
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (!over.aborted) {
        const status = await one(nextRequest())
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }),
  )
  agent.destroy()
}

function inWords(statuses: Map<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} × ${status || 'no response'}`).join(', ')
}
