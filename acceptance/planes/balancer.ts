import { get } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Balancer {
  url: string
  close(): Promise<void>
}

const CHECK_EVERY_MS = 200

/**
 * A load balancer that forwards connections in turn to the control planes whose `/readyz` succeeds. It does not read
 * the requests, so a connection that breaks is an error for its client.
 */
export async function startBalancer(port: number, targets: readonly number[], host = '127.0.0.1'): Promise<Balancer> {
  const ready = new Set<number>()
  const open = new Set<Socket>()
  let turn = 0

  const check = async (target: number) => ((await isReady(target)) ? ready.add(target) : ready.delete(target))
  await Promise.all(targets.map(check))
  const timer = setInterval(() => targets.forEach((target) => void check(target)), CHECK_EVERY_MS)

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    pass(socket, targets.length)
  })

  /** Skips a control plane that accepts no connection, as every load balancer does. */
  function pass(socket: Socket, attempts: number): void {
    const candidates = [...ready]
    if (candidates.length === 0 || attempts === 0) return void socket.destroy()
    const target = candidates[turn++ % candidates.length]!
    const upstream = connect(target, '127.0.0.1')
    const again = () => {
      ready.delete(target)
      pass(socket, attempts - 1)
    }
    upstream.once('error', again)
    upstream.once('connect', () => {
      upstream.off('error', again)
      upstream.on('error', () => socket.destroy())
      upstream.once('close', () => socket.end())
      socket.once('close', () => upstream.destroy())
      socket.pipe(upstream).pipe(socket)
    })
  }

  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      clearInterval(timer)
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/readyz', timeout: 2_000, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
