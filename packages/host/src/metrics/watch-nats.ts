import { connect } from 'node:net'
import { createLoop, type Loop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'

const EVERY_MS = 10_000
const LIMIT_MS = 3_000

export interface NatsServer {
  /** Host and port, without credentials. */
  server: string
  isUp: boolean
}

/**
 * Checks whether each NATS server answers, also while no stack is awake that would notice. A stack connects to any one of
 * them, so the metric shows a server of a cluster that is gone.
 */
export function watchNats(urls: readonly URL[], log: Log): { read(): readonly NatsServer[]; loop: Loop } {
  let servers: NatsServer[] = []
  const loop = createLoop({
    name: 'nats-servers',
    log,
    everyMs: EVERY_MS,
    async run() {
      servers = await Promise.all(urls.map(async (url) => ({ server: nameOf(url), isUp: await answers(url) })))
    },
  })
  return { read: () => servers, loop }
}

const portOf = (url: URL) => Number(url.port) || 4222
const nameOf = (url: URL) => `${url.hostname}:${portOf(url)}`

/** Whether the server greets: it sends `INFO` to a new client, before TLS too, unless it is configured otherwise. */
function answers(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: portOf(url) })
    let isConnected = false
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.setTimeout(LIMIT_MS, () => end(isConnected && url.protocol === 'tls:'))
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once('data', (chunk: Buffer) => end(chunk.subarray(0, 5).toString('latin1') === 'INFO '))
    socket.once('error', () => end(false))
    socket.once('close', () => resolve(false))
  })
}
