import { connect } from 'node:net'
import { createLoop, type Loop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import { hostOf } from '../host-of.ts'

const EVERY_MS = 10_000
const LIMIT_MS = 3_000

export interface NatsServer {
  /** Host and port, without credentials. */
  server: string
  isUp: boolean
}

/**
 * Checks whether each NATS server responds, even while no stack is awake. A stack needs only one server of a cluster,
 * so no stack would report that one of the other servers is down.
 */
export function watchNats(urls: readonly URL[], log: Log): { read(): readonly NatsServer[]; loop: Loop } {
  let servers: NatsServer[] = []
  const loop = createLoop({
    name: 'nats-servers',
    log,
    everyMs: EVERY_MS,
    async run() {
      servers = await Promise.all(urls.map(async (url) => ({ server: nameOf(url), isUp: await responds(url) })))
    },
  })
  return { read: () => servers, loop }
}

const portOf = (url: URL) => Number(url.port) || 4222
const nameOf = (url: URL) => `${url.hostname}:${portOf(url)}`

/** Whether the server sends `INFO` to a new client. NATS sends `INFO` before TLS starts, so no TLS is needed here. */
function responds(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostOf(url), port: portOf(url) })
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.setTimeout(LIMIT_MS, () => end(false))
    socket.once('data', (chunk: Buffer) => end(chunk.subarray(0, 5).toString('latin1') === 'INFO '))
    socket.once('error', () => end(false))
    socket.once('close', () => resolve(false))
  })
}
