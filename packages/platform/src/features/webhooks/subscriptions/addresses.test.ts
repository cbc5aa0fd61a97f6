import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'

/** The IP addresses to which names resolve. Tests change them. */
const names = new Map<string, string[]>()
const asked: string[] = []
const resolve = async (name: string) => {
  asked.push(name)
  const found = names.get(name)
  if (found === undefined) throw new Error(`no such name: ${name}`)
  return found
}

let development: Webhooks
let production: Webhooks
let receiver: Receiver
beforeAll(async () => {
  ;[development, production, receiver] = await Promise.all([
    startWebhooks({ mode: 'development' }, { resolve }),
    startWebhooks({ mode: 'production' }, { resolve }),
    startReceiver(),
  ])
  names.set('public.example', ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'])
})
afterAll(async () => {
  await Promise.all([development.close(), production.close(), receiver.close()])
})

// Tests here publish no event of this kind, so no test connects to the internet.
const events = ['building.changeset.applied']
const register = ({ send }: Webhooks, url: string) => send('POST', '', { url, events })
const rejected = (reason: string) => ({ status: 400, body: { code: 'WEBHOOK_URL_REJECTED', reason } })

const NEVER = [
  ['WHK-09', '10.1.2.3'],
  ['WHK-09', '172.16.0.1'],
  ['WHK-09', '172.31.255.254'],
  ['WHK-09', '192.168.1.1'],
  ['WHK-10', '169.254.1.1'],
  ['WHK-10', '169.254.169.254'],
  ['WHK-10', '100.64.0.1'],
  ['WHK-43', '168.63.129.16'],
  ['WHK-43', '100.100.100.200'],
  ['WHK-10', '224.0.0.1'],
  ['WHK-10', '0.0.0.0'],
  ['WHK-11', 'fd00::1'],
  ['WHK-11', 'fe80::1'],
  ['WHK-11', 'ff02::1'],
  ['WHK-11', '::'],
  ['WHK-11', '::ffff:10.0.0.1'],
  ['WHK-11', '64:ff9b::a00:1'],
  ['WHK-11', '2002:a00:1::'],
] as const

/** Addresses that parsers would alter. */
const ALTERED_BY_PARSERS = [
  'http://127.0.0.1:9/a\r\nX-Evil: 1',
  ' http://127.0.0.1:9/',
  'http:\\\\localhost:9\\x',
  'http://127.0.0.1/\ud800',
]

describe('the address of a webhook', () => {
  it('[WHK-07] must be https in production, and http or https in development', async () => {
    expect(await register(production, 'http://public.example/hook')).toMatchObject(rejected('not_https'))
    expect(await register(production, 'https://public.example/hook')).toMatchObject({ status: 201 })
    expect(await register(development, 'http://public.example/hook')).toMatchObject({ status: 201 })
    expect(await register(development, 'ftp://public.example/hook')).toMatchObject(rejected('not_https'))
  })

  it.each(['not a url', 'https://user:secret@public.example/', 'https://', '/hook', ...ALTERED_BY_PARSERS])(
    'must be a valid URL, unlike %s',
    async (url) => {
      expect(await register(development, url)).toMatchObject(rejected('invalid_url'))
    },
  )

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://localhost/', 'https://loop.example/', 'https://0x7f.1/'])(
    '[WHK-08, WHK-14] must not lead to a loopback address in production, but may in development: %s',
    async (url) => {
      names.set('loop.example', ['127.0.0.1'])
      expect(await register(production, url)).toMatchObject(rejected('private_address'))
      expect(await register(development, url)).toMatchObject({ status: 201 })
    },
  )

  it.each(NEVER)(
    '[WHK-09, WHK-10, WHK-11] is refused by rule %s if its host is %s or a name that resolves to this IP address',
    async (_, address) => {
      const host = address.includes(':') ? `[${address}]` : address
      names.set('found.example', [address])
      names.set('both.example', ['93.184.216.34', address])
      for (const mode of [development, production]) {
        for (const at of [host, 'found.example', 'both.example']) {
          expect(await register(mode, `https://${at}/hook`)).toMatchObject(rejected('private_address'))
        }
      }
    },
  )

  it('[WHK-12] must have a host name that resolves', async () => {
    expect(await register(production, 'https://nowhere.example/')).toMatchObject(rejected('unresolvable'))
    expect(await register(development, 'https://nowhere.example/')).toMatchObject(rejected('unresolvable'))
  })

  it('[WHK-13] is refused without revealing the IP address or the error that the lookup returned', async () => {
    names.set('inside.example', ['10.77.66.55'])
    const answer = await register(production, 'https://inside.example/')
    expect(answer).toMatchObject(rejected('private_address'))
    expect(JSON.stringify(answer)).not.toContain('10.77')
    const nowhere = await register(production, 'https://nowhere.example/')
    expect(JSON.stringify(nowhere.body)).not.toMatch(/ENOTFOUND|no such name/)
  })

  it('[WHK-15] is checked again when it changes', async () => {
    const { id, url } = await development.subscribe(`${receiver.url}/kept`)
    for (const [other, reason] of [
      ['http://10.0.0.1/', 'private_address'],
      ['https://nowhere.example/', 'unresolvable'],
      ['ftp://public.example/', 'not_https'],
    ] as const) {
      expect(await development.send('PATCH', `/${id}`, { url: other })).toMatchObject(rejected(reason))
    }
    expect((await development.read(id)).url).toBe(url)
  })

  it('[WHK-16, WHK-40] is checked before every delivery, which connects to the checked IP address', async () => {
    const { hostname, port } = new URL(receiver.url)
    names.set('moving.example', [hostname])
    const { id } = await development.subscribe(`http://moving.example:${port}/moving`)
    asked.length = 0
    await development.observe()
    const came = () => receiver.received.filter(({ path }) => path === '/moving')
    // Only this test's resolver knows the name. The resolver was asked once, so the delivery used the address that was
    // checked.
    expect(came().map(({ headers }) => headers.host)).toEqual([`moving.example:${port}`])
    expect(asked).toEqual(['moving.example'])

    names.set('moving.example', ['10.77.66.55'])
    await development.observe()
    const [attempt] = await development.attempts(id)
    expect(attempt).toMatchObject({ status: 'failed', httpCode: null, responseBody: null })
    expect(attempt!.error).toBe('The address was refused: private_address')
    const tested = await development.send('POST', `/${id}/test`)
    expect(tested).toMatchObject(rejected('private_address'))
    expect(JSON.stringify([attempt, tested.body])).not.toContain('10.77')
    expect(came()).toHaveLength(1)

    names.set('moving.example', [hostname])
    await development.pass(70_000)
    expect(came()).toHaveLength(2)
    expect(await development.read(id)).toMatchObject({ consecutiveFailures: 0 })
  })
})

describe('networks in the operator settings', () => {
  it('[WHK-44] are allowed or blocked as these settings say, and metadata services stay blocked', async () => {
    const webhookRanges = { allowed: ['10.1.0.0/16', '168.63.129.16'], denied: ['10.1.9.0/24', '93.184.0.0/16'] }
    const stack = await startWebhooks({ mode: 'production', webhookRanges }, { resolve })
    try {
      expect(await register(stack, 'https://10.1.2.3/hook')).toMatchObject({ status: 201 })
      for (const host of ['10.1.9.3', '10.2.2.3', '168.63.129.16', '127.0.0.1', 'public.example', 'metadata']) {
        expect(await register(stack, `https://${host}/`), host).toMatchObject(rejected('private_address'))
      }
      expect(await register(stack, 'http://10.1.2.3/hook')).toMatchObject(rejected('not_https'))
    } finally {
      await stack.close()
    }
  })
})
