import type { Socket } from 'socket.io-client'
import type { Credential } from '../credentials/credential.ts'
import { renewOnce } from '../http/renew-once.ts'
import { refusal } from './join-channel.ts'
import { Listeners } from './listeners.ts'
import type { LiveStatus } from './live-connection.ts'
import { openSharedSocket } from './shared-socket.ts'

/** Errors that a retry does not fix. */
const FINAL = ['PERMISSION_DENIED', 'NOT_FOUND', 'VALIDATION_FAILED']
const AGAIN_MS = 2_000

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

/** A socket of a namespace that reconnects, renews its token and joins again. */
export function openChannel({ signal, listen, join, ...request }: ChannelOptions): Channel {
  const { credential } = request
  const statuses = new Listeners<[LiveStatus, Error?]>()
  let admit: () => void
  let reject: (error: Error) => void
  const ready = new Promise<void>((resolve, fail) => {
    admit = resolve
    reject = fail
  })
  // Callers that do not await it see the status.
  ready.catch(() => undefined)
  let status: LiveStatus = 'connecting'
  let line: Awaited<ReturnType<typeof openSharedSocket>> | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let shown = ''
  let renewed = false

  function become(next: LiveStatus, error?: Error): void {
    if (status === 'closed' || (status === next && !error)) return
    // Until it was live once, it is still connecting.
    status = next === 'away' && status === 'connecting' ? 'connecting' : next
    statuses.emit(status, error)
  }

  function end(error?: Error): void {
    if (status === 'closed') return
    become('closed', error)
    clearTimeout(again)
    line?.close()
    signal?.removeEventListener('abort', close)
    reject(error ?? new Error('The connection was closed before it was established'))
  }
  const close = () => end()

  /** Reconnects with a new token if the old one was refused; once, until it was live in between. */
  async function signInAgain(refused: Error): Promise<void> {
    if (renewed) return end(refused)
    renewed = true
    try {
      if (!(await renewOnce(credential, shown))) end(refused)
      else if (status !== 'closed') line?.socket.connect()
    } catch (error) {
      end(error as Error)
    }
  }

  function tryAgain(error: Error): void {
    become('away', error)
    clearTimeout(again)
    again = setTimeout(() => {
      const { socket } = line!
      if (socket.connected) void enter(socket)
      else socket.connect()
    }, AGAIN_MS)
  }

  function refused(code: string): void {
    const error = refusal(code)
    if (code === 'UNAUTHENTICATED') void signInAgain(error)
    else if (FINAL.includes(code)) end(error)
    else tryAgain(error)
  }

  async function enter(socket: Socket): Promise<void> {
    try {
      const joined = await join(socket)
      if (!joined.ok) return refused(joined.code)
      renewed = false
      become('live')
      admit()
      joined.onJoined?.()
    } catch (error) {
      if (status !== 'closed' && socket.connected) tryAgain(error as Error)
    }
  }

  async function open(): Promise<void> {
    line = await openSharedSocket({
      ...request,
      auth: (give) => {
        credential.token().then(
          (token) => {
            shown = token
            give({ token })
          },
          (error) => end(error instanceof Error ? error : new Error(String(error))),
        )
      },
    })
    if (status === 'closed') return line.close()
    const { socket } = line
    listen(socket)
    socket.on('connect', () => void enter(socket))
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      if (error.data?.code) refused(error.data.code)
      // The service does not have this namespace.
      else if (!socket.active) end(error)
      else become('away', error)
    })
    socket.on('disconnect', (reason) => {
      if (status === 'closed') return
      become('away', new Error(`The connection ended: ${reason}`))
      // The service closes the connection when the token has expired.
      if (reason === 'io server disconnect') void signInAgain(refusal('UNAUTHENTICATED'))
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
