import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { afterEach, expect, it, vi } from 'vitest'
import { createOutbound, type Outbound, type OutboundRequest } from './index.ts'
import { selfSigned } from './testing/certificate.ts'
import { httpServer, httpsServer, type Receiver, startReceiver } from './testing/receiver.ts'

const trusted = getCACertificates('default')
const opened: Outbound[] = []
const started: Receiver[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  setDefaultCACertificates(trusted)
  for (const outbound of opened.splice(0)) outbound.close()
  await Promise.all(started.splice(0).map((receiver) => receiver.stop()))
})

const post: OutboundRequest = {
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 10_000,
  maxBytes: 1_000,
}
const RECEIVER = selfSigned({ names: ['receiver.test', 'other.test'], addresses: ['127.0.0.1'] })

function open(): Outbound {
  const outbound = createOutbound({ allowLocal: true, resolve: async () => ['127.0.0.1'] })
  opened.push(outbound)
  return outbound
}
async function receive(server = httpsServer(RECEIVER)): Promise<Receiver> {
  const receiver = await startReceiver(server)
  started.push(receiver)
  return receiver
}
const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => 'an answer',
    (err) => err.message,
  )

it('refuses an untrusted certificate, whatever the environment sets', async () => {
  let requests = 0
  const { port } = await receive(
    httpsServer(RECEIVER, (_, response) => {
      requests++
      response.end()
    }),
  )
  expect(await failure(open().send(`https://receiver.test:${port}/`, post))).toBe('the certificate is not valid')
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  expect(await failure(open().send(`https://receiver.test:${port}/`, post))).toBe('the certificate is not valid')
  expect(requests).toBe(0)
})

it('requires a certificate for the name or the address of the URL', async () => {
  setDefaultCACertificates([...trusted, RECEIVER.cert])
  const { port } = await receive()
  const outbound = open()
  expect((await outbound.send(`https://receiver.test:${port}/`, post)).status).toBe(200)
  expect((await outbound.send(`https://receiver.test.:${port}/`, post)).status).toBe(200)
  expect((await outbound.send(`https://127.0.0.1:${port}/`, post)).status).toBe(200)
  expect(await failure(outbound.send(`https://unlisted.test:${port}/`, post))).toBe('the certificate is not valid')
  expect(await failure(outbound.send(`https://localhost:${port}/`, post))).toBe('the certificate is not valid')
})

it('reuses a connection only for the same name', async () => {
  setDefaultCACertificates([...trusted, RECEIVER.cert])
  const server = httpsServer(RECEIVER)
  const names: unknown[] = []
  server.on('secureConnection', (socket) => names.push(socket instanceof TLSSocket && socket.servername))
  const { port } = await receive(server)
  const outbound = open()
  for (let i = 0; i < 5; i++) {
    await outbound.send(`https://receiver.test:${port}/`, post)
    await outbound.send(`https://other.test:${port}/`, post)
    await outbound.send(`https://127.0.0.1:${port}/`, post)
  }
  expect(names).toEqual(['receiver.test', 'other.test', false])
})

it('verifies the certificate again when the last verification was ten minutes ago', async () => {
  setDefaultCACertificates([...trusted, RECEIVER.cert])
  const { port, connections } = await receive()
  const outbound = open()
  const send = () => outbound.send(`https://receiver.test:${port}/`, post)
  const now = performance.now.bind(performance)
  let laterMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs)
  expect((await send()).status).toBe(200)
  setDefaultCACertificates(trusted)
  // A pooled connection is used for a few seconds, and a session is resumed for ten minutes.
  laterMs = 60_000
  expect((await send()).status).toBe(200)
  laterMs = 11 * 60_000
  expect(await failure(send())).toBe('the certificate is not valid')
  expect(connections).toHaveLength(3)
  vi.restoreAllMocks()
})

it('opens a new connection when the pooled one is closed', async () => {
  setDefaultCACertificates([...trusted, RECEIVER.cert])
  const known = new Set<unknown>()
  const server = httpsServer(RECEIVER)
  server.prependListener('request', ({ socket }) => {
    if (known.has(socket)) socket.destroy()
    known.add(socket)
  })
  const { port, connections } = await receive(server)
  const outbound = open()
  for (let i = 0; i < 2; i++) expect((await outbound.send(`https://receiver.test:${port}/`, post)).status).toBe(200)
  expect(connections).toHaveLength(2)
})

it('reports that the other end does not use TLS', async () => {
  const { port } = await receive(httpServer() as ReturnType<typeof httpsServer>)
  expect(await failure(open().send(`https://receiver.test:${port}/`, post))).toBe('the TLS handshake failed')
})
