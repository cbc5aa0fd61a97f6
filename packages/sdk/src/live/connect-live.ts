import type { Socket } from 'socket.io-client'
import { socketOptions } from '#connect'
import { renewOnce } from '../http/renew-once.ts'
import { LIVE_NAMESPACE } from '../wire-values.ts'
import { joinChannel, refusal } from './join-channel.ts'
import { Listeners } from './listeners.ts'
import type { LiveConnection, LiveMeta, LiveOptions, LiveStatus } from './live-connection.ts'
import { LIVE_EVENT_NAMES } from './live-events.ts'

/** Errors that a retry does not fix. */
const FINAL = ['PERMISSION_DENIED', 'NOT_FOUND', 'VALIDATION_FAILED']
const AGAIN_MS = 2_000

/**
 * Follows a building on the live channel.
 *
 * @stable
 */
export function connectLive({ url, credential, buildingId, signal }: LiveOptions): LiveConnection {
  const events = new Map(LIVE_EVENT_NAMES.map((name) => [name, new Listeners<[unknown, LiveMeta]>()]))
  const statuses = new Listeners<[LiveStatus, Error?]>()
  const snapshots = new Listeners<[]>()
  let admit: () => void
  let reject: (error: Error) => void
  const ready = new Promise<void>((resolve, fail) => {
    admit = resolve
    reject = fail
  })
  // Callers that do not await it see the status.
  ready.catch(() => undefined)
  let status: LiveStatus = 'connecting'
  let socket: Socket | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let last: number | undefined
  let shown = ''
  let renewed = false

  function become(next: LiveStatus, error?: Error): void {
    if (status === 'closed' || (status === next && !error)) return
    // Until it was live once, it is still connecting.
    status = next === 'away' && status === 'connecting' ? 'connecting' : next
    statuses.tell(status, error)
  }

  function end(error?: Error): void {
    if (status === 'closed') return
    become('closed', error)
    clearTimeout(again)
    socket?.disconnect()
    signal?.removeEventListener('abort', close)
    reject(error ?? new Error('The connection was closed before it was established'))
  }
  const close = () => end()

  /** Reconnects with a new token if the old one was refused; once, until it was live in between. */
  async function signInAnew(refused: Error): Promise<void> {
    if (renewed) return end(refused)
    renewed = true
    try {
      if (await renewOnce(credential, shown)) socket?.connect()
      else end(refused)
    } catch (error) {
      end(error as Error)
    }
  }

  function tryAgain(error: Error): void {
    become('away', error)
    clearTimeout(again)
    again = setTimeout(() => (socket?.connected ? enter() : socket?.connect()), AGAIN_MS)
  }

  function refused(code: string): void {
    const error = refusal(code)
    if (code === 'UNAUTHENTICATED') void signInAnew(error)
    else if (FINAL.includes(code)) end(error)
    else tryAgain(error)
  }

  async function enter(): Promise<void> {
    try {
      const entered = await joinChannel(socket!, buildingId, last)
      if (!entered.ok) return refused(entered.code)
      last = Math.max(entered.sequence, entered.isNew ? 0 : (last ?? 0))
      renewed = false
      become('live')
      admit()
      if (entered.snapshotRequired) snapshots.tell()
    } catch (error) {
      if (status !== 'closed' && socket?.connected) tryAgain(error as Error)
    }
  }

  async function open(): Promise<void> {
    // Loaded lazily: a client that uses only the API does not need it.
    const { io } = await import('socket.io-client')
    if (status === 'closed') return
    const origin = url.replace(/\/+$/, '')
    socket = io(origin + LIVE_NAMESPACE, {
      ...socketOptions(origin),
      forceNew: true,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      reconnectionDelayMax: 5_000,
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
    for (const [name, listeners] of events) {
      socket.on(name, (fields: unknown, meta: LiveMeta) => {
        last = meta.sequence
        listeners.tell(fields, meta)
      })
    }
    socket.on('connect', () => void enter())
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      if (error.data?.code) refused(error.data.code)
      else become('away', error)
    })
    socket.on('disconnect', (reason) => {
      if (status === 'closed') return
      become('away', new Error(`The connection ended: ${reason}`))
      // The service closes the connection when the token has expired.
      if (reason === 'io server disconnect') void signInAnew(refusal('UNAUTHENTICATED'))
    })
  }

  signal?.addEventListener('abort', close, { once: true })
  if (signal?.aborted) close()
  else open().catch((error) => end(error as Error))

  return {
    buildingId,
    get status() {
      return status
    },
    ready,
    on: (kind, handler) => events.get(kind)!.add(handler as (event: unknown, meta: LiveMeta) => void),
    onStatus: (handler) => statuses.add(handler),
    onSnapshotRequired: (handler) => snapshots.add(handler),
    close,
  }
}
