import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { watchNats } from './watch-nats.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A TCP server that calls `onConnection` with each new connection. */
async function serve(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return server
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

describe('the servers of NATS', () => {
  it('are up if they send INFO as NATS does; each is checked separately', async () => {
    const nats = await serve((socket) => socket.write('INFO {"server_id":"a"}\r\n'))
    const other = await serve((socket) => socket.write('220 mail.example.com\r\n'))
    const closed = await serve(() => undefined)
    const ports = [nats, other, closed].map(portOf)
    closed.close()
    const watch = watchNats(
      ports.map((port) => new URL(`nats://user:secret@127.0.0.1:${port}`)),
      silentLog,
    )
    await watch.loop.runNow()
    expect(watch.read()).toEqual([
      { server: `127.0.0.1:${ports[0]}`, isUp: true },
      { server: `127.0.0.1:${ports[1]}`, isUp: false },
      { server: `127.0.0.1:${ports[2]}`, isUp: false },
    ])
    await watch.loop.stop()
  })

  it('are down if they accept connections and send nothing, with and without TLS', async () => {
    const silent = await serve(() => undefined)
    const port = portOf(silent)
    const watch = watchNats([new URL(`nats://127.0.0.1:${port}`), new URL(`tls://127.0.0.1:${port}`)], silentLog)
    await watch.loop.runNow()
    expect(watch.read().map(({ isUp }) => isUp)).toEqual([false, false])
    await watch.loop.stop()
  })
})
