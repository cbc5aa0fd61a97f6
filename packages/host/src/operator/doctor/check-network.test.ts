import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { addressText, parseRange } from '@storey/kit/client-address'
import { selfSigned } from '@storey/kit/testing/certificate'
import { afterEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { checkNetwork, nextAddress } from './check-network.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

/** Starts a TLS proxy with a self-signed certificate for these names. */
async function proxy(names: string[], answer: (host: string) => [status: number, body: string]): Promise<number> {
  const server = createServer(selfSigned({ names, addresses: ['127.0.0.1'] }), ({ headers }, response) => {
    const [status, body] = answer(headers.host ?? '')
    response.writeHead(status).end(body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const findingsAt = async (env: Record<string, string>, isRunning = false) =>
  (await checkNetwork(readSettings(env), isRunning)).all.map(({ level, text }) => `${level}: ${text}`)

const environment = (port: number) => ({ PUBLIC_URL: `https://localhost:${port}`, BASE_DOMAIN: 'boxes.localhost' })

describe('the network', () => {
  it('[OPR-09] must resolve the names of the service and of its sandboxes', async () => {
    const found = await findingsAt({ PUBLIC_URL: 'https://nowhere.invalid', BASE_DOMAIN: 'boxes.invalid' })
    expect(found).toEqual([
      expect.stringContaining('problem: nowhere.invalid does not resolve'),
      expect.stringContaining('problem: *.boxes.invalid does not resolve'),
    ])
  })

  it('[OPR-09] may have an IPv6 address as the host of the service', async () => {
    expect(await findingsAt({ PUBLIC_URL: 'http://[::1]:4000' })).toContain('ok: [::1] resolves to ::1')
  })

  it('[OPR-09] may have an IP address as the https host, and the certificate is checked for that address', async () => {
    const port = await proxy(['localhost'], () => [200, ''])
    const found = await findingsAt({ ...environment(port), PUBLIC_URL: `https://127.0.0.1:${port}` })
    expect(found).toContainEqual(expect.stringContaining('problem: the certificate of 127.0.0.1 is not trusted'))
  })

  it('[OPR-09] needs a certificate that covers the wildcard and is trusted', async () => {
    const port = await proxy(['localhost'], () => [200, ''])
    const found = await findingsAt(environment(port))
    expect(found).toContainEqual(expect.stringContaining('problem: the certificate of localhost is not trusted'))
    expect(found).toContainEqual(expect.stringContaining('problem: the certificate does not cover *.boxes.localhost'))
  })

  it('[OPR-09] needs a proxy that answers', async () => {
    const found = await findingsAt(environment(1))
    expect(found).toContainEqual(expect.stringContaining('problem: TLS to localhost at port 1 failed'))
  })

  it('[OPR-09] has findings for the ranges that webhooks may be sent to, and for those that allow nothing', async () => {
    const ranges = '10.20.0.0/16,169.254.0.0/16,100.100.100.200,192.168.7.0/24'
    const found = await findingsAt({ WEBHOOK_ALLOWED_RANGES: ranges, WEBHOOK_DENIED_RANGES: '192.168.0.0/16' })
    expect(found).toContainEqual('ok: webhooks may be sent to 10.20.0.0/16 over https')
    for (const text of ['169.254.0.0/16', '100.100.100.200', '192.168.7.0/24'])
      expect(found).toContainEqual(`warning: WEBHOOK_ALLOWED_RANGES contains ${text}, which allows nothing`)
  })

  it('[OPR-09] has an ok finding for a range written with the address of a metadata service, if the next address in the range is allowed', async () => {
    const ranges = '100.100.100.200/20,fd00:c1::a9fe:a9fe/64,169.254.255.255/16'
    const found = await findingsAt({ WEBHOOK_ALLOWED_RANGES: ranges })
    expect(found).toContainEqual('ok: webhooks may be sent to 100.100.100.200/20, fd00:c1::a9fe:a9fe/64 over https')
    expect(found).toContainEqual('warning: WEBHOOK_ALLOWED_RANGES contains 169.254.255.255/16, which allows nothing')
  })

  it.each([
    ['10.0.0.255', '10.0.1.0'],
    ['10.255.255.255', '11.0.0.0'],
    ['192.168.0.0', '192.168.0.1'],
    ['fd00::', 'fd00::1'],
    ['fd00::ffff', 'fd00::1:0'],
  ])('has addresses in order: after %s comes %s', (address, next) => {
    expect(addressText(nextAddress(parseRange(address)!.bytes))).toBe(next)
  })
})
