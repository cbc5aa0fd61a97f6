import pg from 'pg'
import { createLoop } from '../background/index.ts'
import type { Log } from '../log.ts'
import { openDedicatedClient, watchConnection } from './dedicated-client.ts'

export interface ListenerOptions {
  url: string
  applicationName: string
  /** The channel of `NOTIFY`: an identifier in lower case. */
  channel: string
  log: Log
  onMessage(payload: string): void
  /**
   * Called when the connection begins to listen: at the start, and again after each gap. Messages that were sent in the
   * gap are lost, so everything that is derived from messages must be read again.
   */
  onListening(): void
  checkEveryMs?: number
}

export interface Listener {
  start(): void
  isListening(): boolean
  close(): Promise<void>
}

const CHECK_EVERY_MS = 2_000
const RETRY = { firstMs: 500, maxMs: 2_000 }

/** Listens to NOTIFY on a dedicated connection, which is checked, and opened again when it breaks. */
export function createListener(options: ListenerOptions): Listener {
  const { log, channel } = options
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isInterrupted = false
  let isClosed = false
  const loop = createLoop({ name: 'database-listener', log, run: connect, retry: RETRY })

  async function connect(): Promise<void> {
    if (client || isClosed) return
    const opened = await openDedicatedClient(options)
    try {
      opened.on('notification', ({ payload }) => options.onMessage(payload ?? ''))
      await opened.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (err) {
      opened.end().catch(() => undefined)
      throw err
    }
    if (isClosed) return void opened.end().catch(() => undefined)
    client = opened
    timer = watchConnection(opened, options.checkEveryMs ?? CHECK_EVERY_MS, () => broke(opened))
    options.onListening()
    if (isInterrupted) log.info({ channel }, 'notifications of the database received again')
    isInterrupted = false
  }

  function broke(broken: pg.Client): void {
    if (client !== broken) return
    client = undefined
    clearInterval(timer)
    broken.end().catch(() => undefined)
    if (isClosed) return
    isInterrupted = true
    log.warn({ channel }, 'notifications of the database interrupted, reconnecting')
    loop.wake()
  }

  return {
    start: loop.wake,
    isListening: () => client !== undefined,
    async close() {
      isClosed = true
      clearInterval(timer)
      // Not awaited: an attempt to connect may take seconds, and closes its connection itself.
      void loop.stop()
      const held = client
      client = undefined
      await held?.end().catch(() => undefined)
    },
  }
}
