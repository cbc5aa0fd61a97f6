import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { freePort } from '../../acceptance/system/system.ts'
import type { Certificate } from '../certificates.ts'

/** Terminates TLS in front of the service, as a proxy does. */
export async function startTlsFront({ certificate, key }: Certificate, port: number) {
  const listened = await freePort()
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port })
    for (const socket of [client, upstream]) socket.on('error', () => [client, upstream].map((one) => one.destroy()))
    client.pipe(upstream).pipe(client)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(listened, '127.0.0.1', resolve))
  return { port: listened, close: () => void server.close() }
}
