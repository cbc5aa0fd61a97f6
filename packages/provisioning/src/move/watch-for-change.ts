import { createLoop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import type { SandboxRow } from '../features/sandboxes/index.ts'

export interface WatchForChangeOptions {
  /** The row of the sandbox when its move began. */
  row: SandboxRow
  /** Reads the row again. */
  read(): Promise<SandboxRow | undefined>
  /** Returns the reason with which the signal is aborted. */
  onChange(): Error
  log: Log
  everyMs?: number
}

const CHECK_EVERY_MS = 1_000

/**
 * Aborts a signal when the sandbox is to be reset or removed, because that work waits for the lock of the move. A row
 * that cannot be read is read again, since the move continues while the control database is unavailable.
 */
export function watchForChange(options: WatchForChangeOptions): { signal: AbortSignal; end(): void } {
  const { row, read, onChange, log, everyMs = CHECK_EVERY_MS } = options
  const abort = new AbortController()
  const retry = { firstMs: everyMs, maxMs: everyMs }
  const loop = createLoop({ name: 'move-watch', log, run: check, everyMs, retry })

  async function check(): Promise<void> {
    const now = await read()
    const isSame = now?.status === 'ready' && !now.removingAt && now.requestedAt.getTime() === row.requestedAt.getTime()
    if (!isSame) abort.abort(onChange())
  }

  loop.start(everyMs)
  return {
    signal: abort.signal,
    // Not awaited: the move need not wait for the last read.
    end: () => void loop.stop(),
  }
}
