import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { silentLog } from '@storey/kit/log'
import { selfSigned } from '@storey/kit/testing/certificate'
import { afterEach, describe, expect, it } from 'vitest'
import { tlsAddresses, watchCertificates } from './watch-certificates.ts'

const { cert: CERTIFICATE, key: KEY } = selfSigned({ names: ['any.test'] })

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const part of open.splice(0)) await part.close()
})

describe('the certificates of public names', () => {
  it('are those of the service and all sandboxes if the public URL is https, and of MQTT if its URL is mqtts', () => {
    const baseDomain = 'example-sandboxes.com'
    expect(tlsAddresses({ publicUrl: new URL('http://localhost:4000'), baseDomain })).toEqual([])
    const mqttPublicUrl = new URL('mqtts://mqtt.example.com')
    expect(tlsAddresses({ publicUrl: new URL('https://storey.example.com'), baseDomain, mqttPublicUrl })).toMatchObject(
      [
        { host: 'storey.example.com', servername: 'storey.example.com', port: 443 },
        { host: '*.example-sandboxes.com', address: 'storey.example.com', port: 443 },
        { host: 'mqtt.example.com (MQTT)', servername: 'mqtt.example.com', port: 8883 },
      ],
    )
  })

  it('may be those of IP addresses, which are not sent as server names', async () => {
    const server = createServer({ cert: CERTIFICATE, key: KEY }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    open.push(server)
    const { port } = server.address() as AddressInfo
    const mqttPublicUrl = new URL('mqtts://[2001:db8::7]')
    const addresses = tlsAddresses({
      publicUrl: new URL(`https://127.0.0.1:${port}`),
      baseDomain: 'x.test',
      mqttPublicUrl,
    })
    expect(addresses).toEqual([
      { host: '127.0.0.1', servername: '', address: '127.0.0.1', port },
      { host: '*.x.test', servername: 'storey-certificate-check.x.test', address: '127.0.0.1', port },
      { host: '2001:db8::7 (MQTT)', servername: '', address: '2001:db8::7', port: 8883 },
    ])
    const watch = watchCertificates(addresses.slice(0, 2), silentLog)
    open.push({ close: () => watch.loop.stop() })
    await watch.loop.runNow()
    expect(watch.read().map(({ isReadable }) => isReadable)).toEqual([true, true])
  })

  it('are read with the server name that a client would send, even if they are not trusted', async () => {
    const names: string[] = []
    const server = createServer({
      cert: CERTIFICATE,
      key: KEY,
      SNICallback: (name, done) => {
        names.push(name)
        done(null)
      },
    })
    server.on('tlsClientError', () => undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    open.push(server)
    const { port } = server.address() as AddressInfo
    const watch = watchCertificates([{ host: '*.test', servername: 'any.test', address: '127.0.0.1', port }], silentLog)
    open.push({ close: () => watch.loop.stop() })
    expect(watch.read()).toEqual([{ host: '*.test', expiresAtMs: undefined, isReadable: false }])
    await watch.loop.runNow()
    const expiresAtMs = Date.parse(new X509Certificate(CERTIFICATE).validTo)
    expect(watch.read()).toEqual([{ host: '*.test', expiresAtMs, isReadable: true }])
    expect(names).toEqual(['any.test'])

    server.close()
    await expect(watch.loop.runNow()).rejects.toThrow()
    expect(watch.read()).toEqual([{ host: '*.test', expiresAtMs, isReadable: false }])
  })
})
