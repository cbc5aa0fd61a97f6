import type { Socket } from 'socket.io-client'
import type { Credential } from '../credentials/credential.ts'
import { StoreyError } from '../errors.ts'
import { renewOnce } from '../http/renew-on-401.ts'
import { refusal } from './join-channel.ts'
import { Listeners } from './listeners.ts'
import type { LiveStatus } from './live-connection.ts'
import { openSharedSocket } from './shared-socket.ts'

/** Refusals of the live channel that a retry does not fix. */
const FINAL = ['PERMISSION_DENIED', 'NOT_FOUND', 'VALIDATION_FAILED']
/** With these statuses an identity provider finally refuses to issue a token. After any other error a retry may get one. */
const FINAL_STATUSES = [400, 401, 403]
/** The pause before the first retry. It doubles with each further one, up to `MAX_RETRY_MS`. */
const RETRY_MS = 2_000
const MAX_RETRY_MS = 30_000

export interface ChannelOptions {
  namespace: string
  url: string
  credential: Credential
  signal: AbortSignal | undefined
  /** Adds the listeners of events to the socket. */
  listen(socket: Socket): void
  /** Joins the building after each connect; `onJoined` is called when the channel is live. */
  join(socket: Socket): Promise<{ ok: true; onJoined?(): void } | { ok: false; code: string }>
}

export interface Channel {
  readonly status: LiveStatus
  readonly ready: Promise<void>
  onStatus(handler: (status: LiveStatus, error?: Error) => void): () => void
  close(): void
}

/** Opens a socket of a namespace. The channel reconnects, renews its token and joins the building again by itself. */
export function openChannel({ signal, listen, join, ...request }: ChannelOptions): Channel {
  const { credential } = request
  const statuses = new Listeners<[LiveStatus, Error?]>()
  let resolveReady: () => void
  let reject: (error: Error) => void
  const ready = new Promise<void>((resolve, fail) => {
    resolveReady = resolve
    reject = fail
  })
  // Avoids an unhandled rejection if the caller does not await `ready`. Handlers of the status get its error.
  ready.catch(() => undefined)
  let status: LiveStatus = 'connecting'
  let connection: Awaited<ReturnType<typeof openSharedSocket>> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  /** The number of retries since the channel was last live. */
  let retries = 0
  let sentToken = ''
  let renewed = false

  function setStatus(next: LiveStatus, error?: Error): void {
    if (status === 'closed' || (status === next && !error)) return
    // A channel that was never live is still connecting, not away.
    status = next === 'away' && status === 'connecting' ? 'connecting' : next
    statuses.emit(status, error)
  }

  function end(error?: Error): void {
    if (status === 'closed') return
    setStatus('closed', error)
    clearTimeout(retryTimer)
    connection?.close()
    signal?.removeEventListener('abort', close)
    reject(error ?? new Error('The connection was closed before it was established'))
  }
  const close = () => end()

  /**
   * Reconnects with a new token after a refusal. A new token that is refused too ends the channel, unless the channel
   * was live in between.
   */
  async function renewAndReconnect(refused: Error): Promise<void> {
    if (renewed || !credential.renew) return end(refused)
    try {
      renewed = await renewOnce(credential, sentToken)
    } catch (error) {
      return tokenFailed(error)
    }
    // There is no new token. The identity provider may be unavailable, so a retry may get one.
    if (!renewed) tryAgain(refused)
    else if (status !== 'closed') connection?.socket.connect()
  }

  /**
   * No token could be obtained. If the identity provider has finally refused to issue one, the channel ends; after any
   * other error it tries again.
   */
  function tokenFailed(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error))
    if (reason instanceof StoreyError && FINAL_STATUSES.includes(reason.status)) end(reason)
    else tryAgain(reason)
  }

  function tryAgain(error: Error): void {
    if (status === 'closed') return
    setStatus('away', error)
    clearTimeout(retryTimer)
    retryTimer = setTimeout(
      () => {
        const { socket } = connection!
        if (socket.connected) void joinAndReport(socket)
        else socket.connect()
      },
      Math.min(RETRY_MS * 2 ** retries, MAX_RETRY_MS),
    )
    retries += 1
  }

  function refused(code: string): void {
    const error = refusal(code)
    if (code === 'UNAUTHENTICATED') void renewAndReconnect(error)
    else if (FINAL.includes(code)) end(error)
    else tryAgain(error)
  }

  async function joinAndReport(socket: Socket): Promise<void> {
    try {
      const joined = await join(socket)
      if (!joined.ok) return refused(joined.code)
      renewed = false
      retries = 0
      setStatus('live')
      resolveReady()
      joined.onJoined?.()
    } catch (error) {
      if (status !== 'closed' && socket.connected) tryAgain(error as Error)
    }
  }

  async function open(): Promise<void> {
    connection = await openSharedSocket({
      ...request,
      auth: (give) => {
        credential.token().then(
          (token) => {
            sentToken = token
            give({ token })
          },
          (error) => {
            // Without a token the handshake cannot be completed.
            connection?.socket.disconnect()
            tokenFailed(error)
          },
        )
      },
    })
    if (status === 'closed') return connection.close()
    const { socket } = connection
    listen(socket)
    socket.on('connect', () => void joinAndReport(socket))
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      if (error.data?.code) refused(error.data.code)
      // The service does not have this namespace.
      else if (!socket.active) end(error)
      else setStatus('away', error)
    })
    socket.on('disconnect', (reason) => {
      if (status === 'closed') return
      setStatus('away', new Error(`The connection ended: ${reason}`))
      // The service closes the connection when the token has expired or was revoked.
      if (reason === 'io server disconnect') void renewAndReconnect(refusal('UNAUTHENTICATED'))
    })
    socket.connect()
  }

  signal?.addEventListener('abort', close, { once: true })
  if (signal?.aborted) close()
  else open().catch((error) => end(error as Error))

  return {
    get status() {
      return status
    },
    ready,
    onStatus: (handler) => statuses.add(handler),
    close,
  }
}
