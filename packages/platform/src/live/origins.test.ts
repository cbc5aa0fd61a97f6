import { randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestLive, type TestLive } from './testing/test-live.ts'

const OWN = 'http://office-a1b2c.localhost:4000'
const LISTED = 'https://app.example.com'

let live: TestLive
beforeAll(async () => {
  live = await startTestLive({ apiUrl: `${OWN}/`, corsOrigins: [LISTED, 'https://[2001:db8::1]:8443'] })
})
afterAll(() => live.close())

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

function ask(path: string, headers: Record<string, string | string[]>, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(live.url + path, { method, headers, agent: false }, async (answer) =>
      resolve({ status: answer.statusCode!, headers: answer.headers, body: await text(answer) }),
    )
    asked.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve({ status: answer.statusCode!, headers: answer.headers, body: '' })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const from = (origin: string | string[] | undefined): Record<string, string | string[]> =>
  origin === undefined ? {} : { origin }
const poll = (origin?: string | string[], path = '/socket.io/') => ask(`${path}?EIO=4&transport=polling`, from(origin))

function upgrade(origin?: string | string[], path = '/socket.io/', sid = ''): Promise<Answer> {
  const key = { 'sec-websocket-key': randomBytes(16).toString('base64'), 'sec-websocket-version': '13' }
  const headers = { connection: 'Upgrade', upgrade: 'websocket', ...key, ...from(origin) }
  return ask(`${path}?EIO=4&transport=websocket${sid}`, headers)
}

const nothing = { status: 403, body: '' }

describe('an origin', () => {
  it.each(['&j=0', '&j=0&j=1', '&%6a=0', '&j'])('[LIV-11] gets no JSONP script: %s', async (query) => {
    expect(await ask(`/socket.io/?EIO=4&transport=polling${query}`, {})).toMatchObject({ status: 400, body: '' })
    expect((await poll()).status).toBe(200)
  })

  it.each([
    'null',
    '',
    '*',
    'https://evil.example',
    `${OWN}.evil.example`,
    'http://evil-office-a1b2c.localhost:4000',
    'http://office-a1b2c.localhost',
    'http://office-a1b2c.localhost:4001',
    'https://office-a1b2c.localhost:4000',
    'http://office-zzzzz.localhost:4000',
    'http://localhost:4000',
    `${OWN}/`,
    `${OWN}#`,
    `${OWN}/socket.io/`,
    'HTTP://office-a1b2c.localhost:4000',
    'http://OFFICE-A1B2C.localhost:4000',
    'http://office-a1b2c.localhost.:4000',
    'http://user@office-a1b2c.localhost:4000',
    'http://app.example.com',
    'https://app.example.com:443',
    'https://app.example.com.evil.example',
    'https://evilapp.example.com',
    'https://app.example.com@evil.example',
    'https://аpp.example.com',
    `${LISTED}, ${OWN}`,
    `${LISTED} ${OWN}`,
    'app.example.com',
  ])('[LIV-10] %j is refused with an empty body, by polling and by upgrade', async (origin) => {
    // Node writes headers in Latin-1, so other letters are sent as their UTF-8 bytes.
    const sent = Buffer.from(origin, 'utf8').toString('latin1')
    for (const path of ['/socket.io/', '/socket/']) {
      for (const answer of [await poll(sent, path), await upgrade(sent, path)]) {
        expect(answer).toMatchObject(nothing)
        const exposed = Object.keys(answer.headers).filter((name) => /^access-control|^content-type/.test(name))
        expect(exposed).toEqual([])
      }
    }
    const preflight = { ...from(sent), 'access-control-request-method': 'GET' }
    expect(await ask('/socket.io/?EIO=4&transport=polling', preflight, 'OPTIONS')).toMatchObject(nothing)
  })

  it('[LIV-10] is refused if the request has two origins', async () => {
    expect(await poll([LISTED, OWN])).toMatchObject(nothing)
    expect(await poll([OWN, 'https://evil.example'])).toMatchObject(nothing)
  })

  it.each([OWN, LISTED, 'https://[2001:db8::1]:8443', undefined])('[LIV-11] %s is accepted', async (origin) => {
    for (const path of ['/socket.io/', '/socket/']) {
      expect(await poll(origin, path)).toMatchObject({ status: 200, body: expect.stringMatching(/^0\{"sid":/) })
      expect((await upgrade(origin, path)).status).toBe(101)
    }
  })

  it('[LIV-11] does not replace the token, whether the origin is accepted or absent', async () => {
    for (const extraHeaders of [{}, { origin: OWN }, { origin: LISTED }]) {
      for (const transports of [['polling'], ['websocket']]) {
        const connecting = live.connect({ auth: {}, extraHeaders, transports })
        await expect(connecting).rejects.toMatchObject({ data: { code: 'UNAUTHENTICATED' } })
        expect((await live.connect({ extraHeaders, transports })).connected).toBe(true)
      }
    }
  })

  it('[LIV-10] is checked on every request, even after a first poll with an accepted origin', async () => {
    const { sid } = JSON.parse((await poll(LISTED)).body.slice(1))
    const session = `?EIO=4&transport=polling&sid=${sid}`
    for (const origin of ['https://evil.example', 'null']) {
      expect(await upgrade(origin, '/socket.io/', `&sid=${sid}`)).toMatchObject(nothing)
      expect(await ask(`/socket.io/${session}`, { origin })).toMatchObject(nothing)
      expect(await ask(`/socket.io/${session}`, { origin }, 'POST', '40/buildings,{}')).toMatchObject(nothing)
    }
    expect((await upgrade(LISTED, '/socket.io/', `&sid=${sid}`)).status).toBe(101)
  })

  it('is returned in CORS headers if it is accepted, and a request without an origin gets no CORS headers', async () => {
    const allowed = { 'access-control-allow-origin': LISTED, vary: 'Origin' }
    expect((await poll(LISTED)).headers).toMatchObject(allowed)
    const asking = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
    expect(await ask('/socket/?EIO=4&transport=polling', { ...from(LISTED), ...asking }, 'OPTIONS')).toMatchObject({
      status: 204,
      headers: { ...allowed, 'access-control-allow-headers': expect.stringContaining('authorization') },
    })
    expect((await poll()).headers).not.toHaveProperty('access-control-allow-origin')
    expect((await poll()).headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

describe('the endpoint', () => {
  it('refuses an upgrade with an unknown Engine.IO version without accepting it first', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const sent = { ...headers, 'sec-websocket-key': randomBytes(16).toString('base64') }
    for (const version of ['EIO=3', 'EIO=5', 'EIO=4&EIO=3', 'x=EIO=4', 'eio=4']) {
      expect(await ask(`/socket.io/?${version}&transport=websocket`, sent)).toMatchObject({ status: 400, body: '' })
    }
    expect((await ask('/socket.io/?transport=websocket&%45IO=4', sent)).status).toBe(101)
  })

  it('leaves every other path to the existing listeners', async () => {
    for (const path of ['/', '/socket.io.js', '/socket.io/socket.io.js', '/socketx/', '/socket.io/x?EIO=4', '/api']) {
      expect(await ask(path, {})).toMatchObject({ status: 404, body: 'not live' })
    }
    expect(await upgrade(undefined, '/elsewhere/')).toMatchObject({ status: 404 })
  })

  it('accepts the paths without their last slash', async () => {
    for (const path of ['/socket.io', '/socket']) expect((await poll(undefined, path)).status).toBe(200)
  })

  it('refuses requests outside the protocol', async () => {
    expect((await ask('/socket.io/', {})).status).toBe(400)
    expect((await ask('/socket.io/?EIO=3&transport=polling', {})).status).toBe(400)
    expect((await ask('/socket.io/?EIO=4&transport=polling&sid=made-up', {})).status).toBe(400)
    expect((await ask('/socket.io/?EIO=4&transport=polling', {}, 'DELETE')).status).toBe(405)
    expect((await upgrade(undefined, '/socket.io/', '&sid=made-up')).status).toBe(400)
  })
})
