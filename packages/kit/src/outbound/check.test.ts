import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddressRefused, createOutbound } from './index.ts'
import { isLoopbackNumber, isPublicV4Number, isPublicV6Number, nearV4, nearV6 } from './testing/registry.ts'
import { anyV4, anyV6, notationsOfV4, notationsOfV6, plainV4, plainV6, wrapped } from './testing/spellings.ts'

const unasked = async () => {
  throw new Error('an address was resolved like a name')
}
const production = createOutbound({ allowLocal: false, resolve: unasked })
const development = createOutbound({ allowLocal: true, resolve: unasked })
const resolvingTo = (addresses: readonly string[], allowLocal = false) =>
  createOutbound({ allowLocal, resolve: async () => addresses })

async function outcome(outbound: ReturnType<typeof createOutbound>, url: string): Promise<string> {
  return outbound.check(url).then(
    () => 'accepted',
    (err) => (err instanceof AddressRefused ? err.reason : `unexpected: ${err}`),
  )
}
const expected = (allowed: boolean) => (allowed ? 'accepted' : 'private_address')

describe('a url', () => {
  it.each([
    ['https://8.8.8.8/', 'accepted'],
    ['https://8.8.8.8:8443/hook?a=b#c', 'accepted'],
    ['https://8.8.8.8:1', 'accepted'],
    ['https://[2606:4700:4700::1111]/', 'accepted'],
    ['HTTPS://8.8.8.8', 'accepted'],
    [' https://8.8.8.8\n', 'accepted'],
    ['http://8.8.8.8/', 'not_https'],
    ['http://127.0.0.1/', 'not_https'],
    ['', 'invalid_url'],
    ['8.8.8.8', 'invalid_url'],
    ['//8.8.8.8/', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https:///', 'invalid_url'],
    ['https://8.8.8.8:0/', 'invalid_url'],
    ['https://8.8.8.8:65536/', 'invalid_url'],
    ['https://user@8.8.8.8/', 'invalid_url'],
    ['https://:password@8.8.8.8/', 'invalid_url'],
    ['https://8.8.8.8@127.0.0.1/', 'invalid_url'],
    ['ftp://8.8.8.8/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['javascript:alert(1)', 'not_https'],
    ['ws://8.8.8.8/', 'not_https'],
    ['unix:/var/run/docker.sock', 'not_https'],
    ['https://256.1.1.1/', 'invalid_url'],
    ['https://1.2.3.4.5/', 'invalid_url'],
    ['https://a..example/', 'invalid_url'],
    ['https://example.com../', 'invalid_url'],
    ['https://./', 'invalid_url'],
    ['https://a*b.example/', 'invalid_url'],
    [`https://${'a'.repeat(64)}.example/`, 'invalid_url'],
    [`https://${'a.'.repeat(127)}example/`, 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 'invalid_url'],
    ['https://127.0.0.1/', 'private_address'],
    ['https://127.1/', 'private_address'],
    ['https://2130706433/', 'private_address'],
    ['https://0x7f000001/', 'private_address'],
    ['https://017700000001/', 'private_address'],
    ['https://１２７.０.０.１/', 'private_address'],
    ['https://127。0。0。1/', 'private_address'],
    ['https://%31%32%37.0.0.1/', 'private_address'],
    ['https:\\\\127.0.0.1\\', 'private_address'],
    ['https://12\t7.0.0.1/', 'private_address'],
    ['https://127.0.0.1./', 'private_address'],
    ['https://0/', 'private_address'],
    ['https://[::1]/', 'private_address'],
    ['https://[::]/', 'private_address'],
    ['https://[::ffff:127.0.0.1]/', 'private_address'],
    ['https://[::FFFF:A9FE:A9FE]/', 'private_address'],
    ['https://localhost/', 'private_address'],
    ['https://LOCALHOST./', 'private_address'],
    ['https://stack.localhost/', 'private_address'],
  ])('%j is %s', async (url, reason) => {
    expect(await outcome(production, url)).toBe(reason)
  })

  it.each([
    ['http://127.0.0.1:3000/', 'accepted'],
    ['https://127.0.0.1/', 'accepted'],
    ['http://127.255.255.254/', 'accepted'],
    ['http://2130706433/', 'accepted'],
    ['http://[::1]:3000/', 'accepted'],
    ['http://localhost:3000/', 'accepted'],
    ['http://localhost./', 'accepted'],
    ['http://receiver.localhost/', 'accepted'],
    ['http://8.8.8.8/', 'accepted'],
    ['http://10.0.0.1/', 'private_address'],
    ['http://172.16.0.1/', 'private_address'],
    ['http://192.168.0.1/', 'private_address'],
    ['http://169.254.169.254/', 'private_address'],
    ['http://100.64.0.1/', 'private_address'],
    ['http://224.0.0.1/', 'private_address'],
    ['http://0.0.0.0/', 'private_address'],
    ['http://[::]/', 'private_address'],
    ['http://[fe80::1]/', 'private_address'],
    ['http://[::ffff:127.0.0.1]/', 'private_address'],
    ['http://[64:ff9b::127.0.0.1]/', 'private_address'],
    ['http://user@localhost/', 'invalid_url'],
    ['ftp://localhost/', 'not_https'],
  ])('in development %j is %s', async (url, reason) => {
    expect(await outcome(development, url)).toBe(reason)
  })

  it('is checked by the IPv4 address in it, in any notation', async () => {
    const spelled = fc.oneof(anyV4, nearV4).chain((address) => fc.tuple(fc.constant(address), notationsOfV4(address)))
    await fc.assert(
      fc.asyncProperty(spelled, async ([address, text]) => {
        const isPublic = isPublicV4Number(address)
        expect(await outcome(production, `https://${text}/`)).toBe(expected(isPublic))
        expect(await outcome(development, `http://${text}:8080/`)).toBe(
          expected(isPublic || isLoopbackNumber(address, 32)),
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it('is checked by the IPv6 address in it, in any notation', async () => {
    const spelled = fc.oneof(anyV6, nearV6).chain((address) => fc.tuple(fc.constant(address), notationsOfV6(address)))
    await fc.assert(
      fc.asyncProperty(spelled, async ([address, text]) => {
        const isPublic = isPublicV6Number(address)
        expect(await outcome(production, `https://[${text}]/`)).toBe(expected(isPublic))
        expect(await outcome(development, `http://[${text}]:8080/`)).toBe(
          expected(isPublic || isLoopbackNumber(address, 128)),
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it('is refused, even in development, for an IPv4 address inside an IPv6 address, in any notation', async () => {
    const loopback = fc.bigInt({ min: 0x7f00_0000n, max: 0x7fff_ffffn })
    const spelled = fc
      .tuple(fc.oneof(loopback, anyV4, nearV4), anyV6)
      .chain(([inner, noise]) => fc.constantFrom(...Object.values(wrapped(inner, noise))))
      // The IPv4-compatible form of 0.0.0.1 is ::1, which is accepted in development.
      .filter((address) => address !== 1n)
      .chain(notationsOfV6)
    await fc.assert(
      fc.asyncProperty(spelled, async (text) => {
        expect(await outcome(production, `https://[${text}]/`)).toBe('private_address')
        expect(await outcome(development, `http://[${text}]/`)).toBe('private_address')
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('a name', () => {
  it('is refused when any of its addresses is refused', async () => {
    const one = fc.oneof(
      fc.oneof(anyV4, nearV4).map((n) => ({ text: plainV4(n), isPublic: isPublicV4Number(n) })),
      fc.oneof(anyV6, nearV6).map((n) => ({ text: plainV6(n), isPublic: isPublicV6Number(n) })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 5 }), async (found) => {
        const outbound = resolvingTo(found.map(({ text }) => text))
        const allowed = found.every(({ isPublic }) => isPublic)
        expect(await outcome(outbound, 'https://receiver.example/')).toBe(expected(allowed))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    { found: ['8.8.8.8', '2606:4700::1'], production: 'accepted', local: 'accepted' },
    { found: ['127.0.0.1'], production: 'private_address', local: 'accepted' },
    { found: ['8.8.8.8', '127.0.0.1'], production: 'private_address', local: 'accepted' },
    { found: ['127.0.0.1', '10.0.0.1'], production: 'private_address', local: 'private_address' },
    { found: ['::ffff:127.0.0.1'], production: 'private_address', local: 'private_address' },
    { found: ['fe80::1%eth0'], production: 'private_address', local: 'private_address' },
    { found: ['not an address'], production: 'private_address', local: 'private_address' },
    { found: [], production: 'unresolvable', local: 'unresolvable' },
  ])('with the addresses $found is $production, in development $local', async ({ found, production, local }) => {
    expect(await outcome(resolvingTo(found), 'https://receiver.example/')).toBe(production)
    expect(await outcome(resolvingTo(found, true), 'http://receiver.example/')).toBe(local)
  })

  it('is resolved in lower case, in ASCII and without its final dot', async () => {
    const lookups: string[] = []
    const outbound = createOutbound({
      allowLocal: false,
      resolve: async (hostname) => {
        lookups.push(hostname)
        return ['8.8.8.8']
      },
    })
    for (const host of ['Receiver.Example', 'receiver.example.', 'bücher.example:8443', 'intranet', 'a_b.example']) {
      await outbound.check(`https://${host}/`)
    }
    expect(lookups).toEqual([
      'receiver.example',
      'receiver.example',
      'xn--bcher-kva.example',
      'intranet',
      'a_b.example',
    ])
  })

  it('is unresolvable when the resolver fails in any way', async () => {
    const rejecting = createOutbound({
      allowLocal: false,
      resolve: () => Promise.reject(new Error('10.0.0.53 failed')),
    })
    const throwing = createOutbound({
      allowLocal: false,
      resolve: () => {
        throw new Error('10.0.0.53 failed')
      },
    })
    expect(await outcome(rejecting, 'https://receiver.example/')).toBe('unresolvable')
    expect(await outcome(throwing, 'https://receiver.example/')).toBe('unresolvable')
  })
})

describe('a refusal', () => {
  it('does not reveal the address of the name, and is the same for all private addresses', async () => {
    const refusals = await Promise.all(
      ['127.0.0.1', '10.1.2.3', '169.254.169.254', 'fd12:3456::1', '::ffff:10.1.2.3'].map(async (found) => {
        const err = await resolvingTo([found])
          .check('https://receiver.example/')
          .catch((reason: unknown) => reason)
        expect(inspect(err, { depth: null, showHidden: true })).not.toContain(found)
        return `${err}`
      }),
    )
    expect(new Set(refusals)).toEqual(new Set(['AddressRefused: The url leads to an address that is not allowed']))
  })
})
