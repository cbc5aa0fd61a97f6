import fc from 'fast-check'
import { call } from '../acceptance/system/call.ts'
import { startTestGateway } from '../packages/provisioning/src/testing/test-gateway.ts'
import { traffic } from '../packages/provisioning/src/testing/traffic/traffic.ts'
import {
  answerAsRequested,
  sendAsVictim,
  tryTraffic,
} from '../packages/provisioning/src/testing/traffic/try-traffic.ts'
import { closeFixture, type Fixture, openFixture, type Verdict, whileNeighbourWorks } from './fixture.ts'
import { openRawSocket } from './raw-socket.ts'
import { tryTransferred } from './transferred-connections.ts'

/**
 * HTTP request smuggling. First generated requests go through the gateway to a stack that records what it reads. Then
 * requests that in the past were smuggled successfully go to a whole system, while the owner of the attacked sandbox
 * reads its building and a neighbour works. Then generated requests go to the same system on connections that the
 * gateway has transferred to the stack of the sandbox.
 */

const COUNT = Number(process.env.ATTACK_COUNT ?? 10_000)
/** How long each of the two attacks on the whole system lasts. */
const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60)
/** No request of the attack is refused because of its number. */
const NO_LIMITS = { RATE_LIMIT_PER_MINUTE: '1000000', SANDBOX_RATE_LIMIT_PER_MINUTE: '1000000' }
const AT_A_TIME = 8
const VICTIMS = 2
const seed = Number(process.env.ATTACK_SEED ?? Date.now() % 2 ** 31)

async function tryGenerated(): Promise<Verdict> {
  const test = await startTestGateway({ answer: answerAsRequested })
  const over = new AbortController()
  const victims = Array.from({ length: VICTIMS }, (_, i) => sendAsVictim(test, `127.9.0.${i + 1}`, over.signal))
  const waiting = fc.sample(traffic, { numRuns: COUNT, seed })
  const failures: string[] = []
  const startedAt = performance.now()
  async function work(): Promise<void> {
    for (let sent = waiting.pop(); sent !== undefined; sent = waiting.pop()) {
      const failure = await tryTraffic(test, sent)
      if (failure !== undefined) failures.push(`${failure}: ${JSON.stringify(sent)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  over.abort()
  const counts = await Promise.all(victims)
  const sum = (field: 'answered' | 'mixed' | 'lost') => counts.reduce((total, one) => total + one[field], 0)
  await test.close()
  process.stdout.write(
    `${COUNT} generated connections (seed ${seed}) in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ` +
      `${failures.length} with a wrong request or response, ${test.stack.refused.length} unreadable for the stack; ` +
      `of the victims' requests ${sum('answered')} answered correctly, ${sum('mixed')} mixed up, ${sum('lost')} lost\n`,
  )
  for (const failure of failures.slice(0, 5)) process.stdout.write(`  ${failure}\n`)
  const holds = failures.length === 0 && sum('mixed') === 0 && sum('lost') === 0 && test.stack.refused.length === 0
  return { holds: holds && sum('answered') > 0 }
}

const METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'POST', 'PROPFIND']

/** Requests whose framing the gateway and the stack in the past interpreted differently. */
function smugglers(host: string): string[] {
  const smuggled = `DELETE /api/v1/smuggled HTTP/1.1\r\nHost: ${host}\r\nX-Ignore: `
  const size = smuggled.length.toString(16)
  const framings = [
    `Connection: content-length\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `Transfer-Encoding: chunked\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`,
    `Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`,
    `Transfer-Encoding: gzip, chunked\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\nContent-Length: ${smuggled.length}\r\n\r\n0\r\n\r\n${smuggled}`,
    `Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `Content-Length : ${smuggled.length}\r\n\r\n${smuggled}`,
  ]
  return METHODS.flatMap((method) =>
    framings.map((framing) => `${method} /healthz HTTP/1.1\r\nHost: ${host}\r\n${framing}`),
  )
}

async function trySystem(fixture: Fixture): Promise<Verdict> {
  const { apiUrl, token, buildingId } = fixture.target.connection
  const { host } = new URL(apiUrl)
  const requests = smugglers(host)
  const counts = { sent: 0, refused: 0, read: 0, wrong: 0 }

  async function attack(over: AbortSignal): Promise<void> {
    const attackers = Array.from({ length: 4 }, async (_, first) => {
      for (let i = first; !over.aborted; i++) {
        // The gateway may refuse the connection, because it limits new connections of one address.
        const socket = await openRawSocket(fixture.port).catch(() => undefined)
        if (socket === undefined) {
          counts.refused++
          continue
        }
        socket.write(requests[i % requests.length]!)
        await socket.until((text) => text.includes('HTTP/1.1 '), 500)
        socket.end()
        counts.sent++
      }
    })
    /** The owner reads the building. Any other response is wrong, and may be the response to a smuggled request. */
    const owner = (async () => {
      while (!over.aborted) {
        const answer = await call(`${apiUrl}/api/v1/buildings/${buildingId}`, { token })
        counts.read++
        if (answer.status !== 200 || answer.json.id !== buildingId) counts.wrong++
        await new Promise((resolve) => setTimeout(resolve, 80))
      }
    })()
    await Promise.all([...attackers, owner])
  }

  const duration = { seconds: SECONDS, quietSeconds: Math.min(15, SECONDS) }
  const verdict = await whileNeighbourWorks(fixture, 'Smuggled requests', duration, attack)
  process.stdout.write(
    `${counts.sent} smuggling requests, ${counts.refused} connections refused; the owner read ${counts.read} times and got ${counts.wrong} wrong responses\n`,
  )
  return { holds: verdict.holds && counts.wrong === 0 && counts.sent > 0 && counts.read > 0 }
}

const generated = await tryGenerated()
const fixture = await openFixture(NO_LIMITS)
const onSystem = await trySystem(fixture)
const transferred = await tryTransferred(fixture, { seed, count: COUNT, seconds: SECONDS })
await closeFixture(fixture, [generated, onSystem, transferred])
