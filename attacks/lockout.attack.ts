import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type System, startSystem } from '../acceptance/system/system.ts'
import { Browser } from '../packages/identity/src/testing/browser.ts'
import { ATTACKER } from './raw-socket.ts'

/**
 * An attacker sends wrong passwords for somebody else's account: 80 from one address, directly and behind a trusted
 * proxy, then from many addresses at the same time. Meanwhile the owner signs in from another address, in a known
 * browser and in new ones.
 */

const EMAIL = 'developer@example.com'
const GUESSES = 80
const GUESSERS = 40
const SPREAD_SECONDS = 20
const MAX_SPREAD_SECONDS = 90
/**
 * How often the owner at most tries to sign in with a new browser from a new network during the attack. These attempts
 * are limited like those of a guesser, so the result is printed but not checked.
 */
const MAX_TRIES = 12
/**
 * 30 attempts in 15 minutes are not delayed. After that, two attempts are admitted every three seconds. One more
 * attempt of each guesser is added as a margin.
 */
const maxChecked = (seconds: number) => 30 + GUESSERS + (seconds / 3) * 2

const verdicts: { what: string; holds: boolean }[] = []
function check(what: string, holds: boolean): void {
  verdicts.push({ what, holds })
  process.stdout.write(`${holds ? 'holds' : 'FAILS'}  ${what}\n`)
}

/** A client with its own address, or one behind a trusted proxy. */
async function clientFrom(system: System, client: { localAddress?: string; forwardedFor?: string }) {
  const { host, port } = new URL(system.url)
  const server = createServer((incoming, outgoing) => {
    const { connection: _, ...headers } = incoming.headers
    const forwardedHeaders = client.forwardedFor === undefined ? {} : { 'x-forwarded-for': client.forwardedFor }
    const upstream = request(
      {
        host: '127.0.0.1',
        port,
        method: incoming.method,
        path: incoming.url,
        agent: false,
        headers: { ...headers, host, ...forwardedHeaders },
        ...(client.localAddress === undefined ? {} : { localAddress: client.localAddress }),
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const newBrowser = () => {
    const browser = new Browser(system.url)
    browser.via.set(system.url, url)
    return browser
  }
  return { newBrowser, close: () => server.close() }
}

async function trySignIn(system: System, browser: Browser, password: string) {
  const query = new URLSearchParams({
    client_id: 'svc-portal',
    redirect_uri: `${system.url}/callback`,
    response_type: 'code',
    scope: 'openid',
    prompt: 'login',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const page = await browser.open(`${system.url}/realms/developers/auth?${query}`)
  const started = performance.now()
  const shown = await browser.submit(page, { email: EMAIL, password })
  const isIn = shown.url.searchParams.has('code')
  return { isIn, status: isIn ? 200 : shown.status, ms: performance.now() - started, headers: shown.headers }
}

/** An attacker guesses as fast as possible while the owner signs in, each time with a new browser. */
async function oneAttacker(
  system: System,
  password: string,
  title: string,
  ways: Awaited<ReturnType<typeof clientFrom>>[],
) {
  const [attacker, owner] = ways as [(typeof ways)[0], (typeof ways)[0]]
  const statuses: number[] = []
  let hasRetryAfter = true
  let over = false
  const guessing = (async () => {
    for (let i = 0; i < GUESSES; i++) {
      const { status, headers } = await trySignIn(system, attacker.newBrowser(), `wrong password ${i}`)
      statuses.push(status)
      if (status === 429 && !(Number(headers.get('retry-after')) > 0)) hasRetryAfter = false
    }
    over = true
  })()
  const owners: Awaited<ReturnType<typeof trySignIn>>[] = []
  while (!over) {
    owners.push(await trySignIn(system, owner.newBrowser(), password))
    await sleep(300)
  }
  await guessing
  owners.push(await trySignIn(system, owner.newBrowser(), password))
  const checked = statuses.filter((status) => status === 400).length
  process.stdout.write(`${title}: ${GUESSES} guesses, ${checked} checked; the owner signed in ${owners.length} times\n`)
  check(
    `${title}: the owner can always sign in at the first attempt`,
    owners.every(({ isIn }) => isIn),
  )
  check(`${title}: few guesses are checked, the others get Retry-After`, checked > 0 && checked < 20 && hasRetryAfter)
  for (const way of ways) way.close()
}

async function manyAttackers(system: System, password: string): Promise<void> {
  const known = (await clientFrom(system, { forwardedFor: '198.51.100.200' })).newBrowser()
  await trySignIn(system, known, password)
  const startedAt = performance.now()
  const secondsPassed = () => (performance.now() - startedAt) / 1_000
  let over = false
  let checked = 0
  const guess = async (i: number) => {
    for (let n = 0; !over && secondsPassed() < MAX_SPREAD_SECONDS; n++) {
      const way = await clientFrom(system, { forwardedFor: `2001:db8:${n}:${i}::1` })
      const { status } = await trySignIn(system, way.newBrowser(), 'wrong password')
      if (status === 400) checked++
      way.close()
    }
  }
  const guessing = Promise.all(Array.from({ length: GUESSERS }, (_, i) => guess(i)))
  await sleep((SPREAD_SECONDS * 1_000) / 3)
  const owner = await trySignIn(system, known, password)
  const elsewhere = await clientFrom(system, { forwardedFor: '198.51.100.201' })
  let meanwhile = await trySignIn(system, elsewhere.newBrowser(), password)
  let tries = 1
  for (; !meanwhile.isIn && tries < MAX_TRIES; tries++) {
    await sleep(Number(meanwhile.headers.get('retry-after') ?? 1) * 1_000)
    meanwhile = await trySignIn(system, elsewhere.newBrowser(), password)
  }
  await sleep(Math.max(0, SPREAD_SECONDS - secondsPassed()) * 1_000)
  over = true
  await guessing
  const seconds = secondsPassed()
  const late = await trySignIn(system, elsewhere.newBrowser(), password)
  process.stdout.write(
    `many addresses: ${checked} guesses checked in ${seconds.toFixed(0)} s; the owner took ${owner.ms.toFixed(0)} ms in a known browser during the attack, was ${meanwhile.isIn ? '' : 'not '}admitted in a new one at attempt ${tries}, took ${late.ms.toFixed(0)} ms in another one afterwards\n`,
  )
  check('many addresses: guesses at one account are bounded', checked > 0 && checked <= maxChecked(seconds))
  check('many addresses: the owner signs in with a known browser during the attack', owner.isIn)
  check(
    'many addresses: the owner can sign in with a new browser afterwards, within 15 s',
    late.isIn && late.ms < 15_000,
  )
}

const LIMITS = { PROVISIONING_RATE_LIMIT_PER_MINUTE: '100000' }
const direct = await startSystem({ env: LIMITS })
const passwordOf = (system: System) => readFileSync(join(system.dataDir, 'demo-password'), 'utf8').trim()
await oneAttacker(direct, passwordOf(direct), 'directly', [
  await clientFrom(direct, { localAddress: ATTACKER }),
  await clientFrom(direct, {}),
])
await direct.remove()

const proxied = await startSystem({ env: { ...LIMITS, TRUSTED_PROXIES: '127.0.0.1' } })
await oneAttacker(proxied, passwordOf(proxied), 'behind a proxy', [
  await clientFrom(proxied, { forwardedFor: '203.0.113.66' }),
  // The proxy appends the real address; a client can forge what is to the left of it.
  await clientFrom(proxied, { forwardedFor: '203.0.113.66, 198.51.100.7' }),
])
await manyAttackers(proxied, passwordOf(proxied))
await proxied.remove()

const failed = verdicts.filter(({ holds }) => !holds).length
process.stdout.write(`\n${verdicts.length - failed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
