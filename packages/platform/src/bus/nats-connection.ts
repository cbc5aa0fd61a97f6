import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { createLoop } from '@storey/kit/background'
import { type Log, silentLog } from '@storey/kit/log'
import { credentialsIn } from '@storey/kit/url-credentials'
import { within } from '@storey/kit/within'

export interface NatsConnectionOptions {
  /** The addresses of a cluster's servers. The first address may contain credentials, which are never logged. */
  urls: readonly string[]
  /** The name of the connection in the server's list of connections. */
  name: string
  onMessage(subject: string, text: string): void
  /** Called when the connection comes up. Messages that other processes sent while it was down were missed. */
  onUp?(): void
  log: Log
  /** How long to wait between two attempts to connect. */
  retry?: { firstMs: number; maxMs: number }
}

const CONNECT_LIMIT_MS = 5_000
const RETRY = { firstMs: 500, maxMs: 10_000 }
const PING_EVERY_MS = 20_000
const DRAIN_LIMIT_MS = 2_000
/**
 * The maximum number of bytes that the server has not confirmed. Without this limit, messages for a server that does
 * not read would use up memory.
 */
const MAX_PENDING_BYTES = 16 * 1024 * 1024

/**
 * A connection to NATS that reconnects for as long as the process runs, even if no server was reachable at the start.
 * While the connection is down, messages are dropped, and no caller waits. An outage is logged once.
 */
export function createNatsConnection(options: NatsConnectionOptions) {
  const { log, onMessage, retry = RETRY } = options
  const subjects = new Set<string>()
  /** Subjects whose subscription the server refused. After a reconnect, the client subscribes to them again. */
  const refused = new Set<string>()
  // `down` and `up` log an outage, with what it means for events.
  const loop = createLoop({ name: 'nats-connection', log: silentLog, run: connectAgain, retry })
  let isClosed = false
  let connection: NatsConnection | undefined
  const firstUp = Promise.withResolvers<void>()
  let isUp = false
  let isOutageLogged = false
  let pendingBytes = 0
  let isConfirming = false
  let isTooSlow = false

  function down(err?: unknown): void {
    isUp = false
    if (isOutageLogged || isClosed) return
    isOutageLogged = true
    log.warn({ reason: reasonOf(err) }, 'NATS not connected, events stay in this process')
  }

  function up(): void {
    isUp = true
    pendingBytes = 0
    if (isOutageLogged) log.info('NATS connected, events are sent to other processes')
    isOutageLogged = false
    firstUp.resolve()
    options.onUp?.()
  }

  function listen(nats: NatsConnection, subject: string): void {
    nats.subscribe(subject, {
      callback: (err, message) => {
        if (err) refused.add(subject)
        else onMessage(message.subject, message.string())
      },
    })
  }

  async function watch(nats: NatsConnection): Promise<void> {
    let isRefusalLogged = false
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') down()
      if (status.type === 'reconnect') {
        const again = [...refused]
        refused.clear()
        isRefusalLogged = false
        for (const subject of again) listen(nats, subject)
        up()
      }
      if (status.type === 'error' && !isRefusalLogged) {
        isRefusalLogged = true
        log.warn({ reason: status.error.message }, 'NATS refused a request of this stack')
      }
    }
  }

  /** The client library reconnects by itself after the first connection. If it gives up, a new client is created. */
  async function connectAgain(): Promise<void> {
    try {
      await checkServers(options)
      const nats = await connect(connectOptions(options))
      if (isClosed) return await nats.close()
      connection = nats
      refused.clear()
      for (const subject of subjects) listen(nats, subject)
      up()
      void watch(nats)
      void nats.closed().then((err) => {
        down(err ?? undefined)
        connection = undefined
        loop.wakeIn(retry.firstMs)
      })
    } catch (err) {
      down(err)
      throw err
    }
  }
  loop.wake()

  /** Sends a ping after all messages: its reply confirms that they have arrived. */
  function confirm(nats: NatsConnection): void {
    if (isConfirming) return
    isConfirming = true
    const confirming = pendingBytes
    nats.flush().then(
      () => finish(pendingBytes - confirming),
      // The connection broke, and unconfirmed messages are lost.
      () => finish(0),
    )
    function finish(bytes: number): void {
      isConfirming = false
      pendingBytes = Math.max(0, bytes)
      if (pendingBytes > 0) confirm(nats)
      else isTooSlow = false
    }
  }

  function hasCapacity(bytes: number): boolean {
    if (pendingBytes === 0 || pendingBytes + bytes <= MAX_PENDING_BYTES) return true
    if (!isTooSlow) log.warn({ pendingBytes }, 'NATS does not keep up, events for other processes are dropped')
    isTooSlow = true
    return false
  }

  return {
    isUp: () => isUp,
    /** Resolves when the server has processed all subscriptions, or after the limit. */
    async untilUp(limitMs: number): Promise<void> {
      const flushed = firstUp.promise.then(() => connection?.flush())
      await within(limitMs, flushed).catch(() => undefined)
    },
    /** The largest message that the server accepts. */
    maxBytes: () => connection?.info?.max_payload ?? Number.POSITIVE_INFINITY,
    listen(subject: string): void {
      if (subjects.has(subject)) return
      subjects.add(subject)
      if (connection) listen(connection, subject)
    },
    /** Best effort: a message that cannot be sent now is dropped. */
    send(subject: string, message: Uint8Array): void {
      const nats = connection
      if (!isUp || nats === undefined || !hasCapacity(message.length)) return
      try {
        nats.publish(subject, message)
        pendingBytes += message.length
        confirm(nats)
      } catch (err) {
        log.debug({ reason: reasonOf(err) }, 'event not sent over NATS')
      }
    },
    async close(): Promise<void> {
      isClosed = true
      // Not awaited, because an attempt to connect can take seconds. It closes the connection that it then opens.
      void loop.stop()
      const nats = connection
      if (nats && isUp) await within(DRAIN_LIMIT_MS, nats.drain()).catch(() => undefined)
      isUp = false
      await nats?.close()
    },
  }
}

/**
 * Throws if no server accepts this client. The servers of a cluster advertise each other, and then `connect` tries them
 * all forever instead of throwing an error. So this check ignores the advertised servers.
 */
async function checkServers(options: NatsConnectionOptions): Promise<void> {
  const nats = await connect({ ...connectOptions(options), ignoreClusterUpdates: true, reconnect: false })
  await nats.close()
}

/** The client library does not read credentials from the address. */
function connectOptions({ urls, name }: NatsConnectionOptions): NodeConnectionOptions {
  const first = new URL(urls[0]!)
  const { username: user, password: pass } = credentialsIn(first)
  return {
    servers: urls.map((url) => new URL(url).host),
    name,
    // The server does not send our own messages back, since listeners of this process were already called.
    noEcho: true,
    timeout: CONNECT_LIMIT_MS,
    pingInterval: PING_EVERY_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 1_000,
    // The client keeps trying when the server refuses the credentials, since they may be corrected on the server.
    ignoreAuthErrorAbort: true,
    ...(first.protocol === 'tls:' ? { tls: {} } : {}),
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
  }
}

function reasonOf(err: unknown): string {
  return err instanceof Error ? err.message : 'the server closed the connection'
}
