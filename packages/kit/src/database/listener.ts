import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
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
const PAUSE_MS = 500

/** Listens to NOTIFY on a dedicated connection, which is checked, and opened again when it breaks. */
export function createListener(options: ListenerOptions): Listener {
  const { log, channel } = options
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function open(): Promise<pg.Client> {
    const opened = await openDedicatedClient(options)
    opened.on('notification', ({ payload }) => options.onMessage(payload ?? ''))
    try {
      await opened.query(`listen ${pg.escapeIdentifier(channel)}`)
      return opened
    } catch (err) {
      opened.end().catch(() => undefined)
      throw err
    }
  }

  function hold(opened: pg.Client): void {
    client = opened
    timer = watchConnection(opened, options.checkEveryMs ?? CHECK_EVERY_MS, () => void broke(opened))
    options.onListening()
  }

  async function broke(broken: pg.Client): Promise<void> {
    if (client !== broken) return
    client = undefined
    clearInterval(timer)
    broken.end().catch(() => undefined)
    if (isClosed) return
    log.warn({ channel }, 'notifications of the database interrupted, reconnecting')
    if (await connect()) log.info({ channel }, 'notifications of the database received again')
  }

  /** Returns false if the listener was closed before it was connected. */
  async function connect(): Promise<boolean> {
    while (!isClosed) {
      const opened = await open().catch(() => undefined)
      if (opened && isClosed) opened.end().catch(() => undefined)
      else if (opened) {
        hold(opened)
        return true
      } else await sleep(PAUSE_MS, undefined, { ref: false })
    }
    return false
  }

  return {
    start: () => void connect(),
    isListening: () => client !== undefined,
    async close() {
      isClosed = true
      clearInterval(timer)
      const held = client
      client = undefined
      await held?.end().catch(() => undefined)
    },
  }
}
