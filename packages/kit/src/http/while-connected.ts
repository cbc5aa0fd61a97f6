import { problems } from '@storey/contract'

interface Connection extends NodeJS.EventEmitter {
  readonly destroyed?: boolean
}

/** Waits for something on behalf of a client. The signal aborts when the client disconnects. */
export async function whileConnected<T>(
  { raw }: { raw: Connection },
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const disconnected = new AbortController()
  const onClose = () => disconnected.abort(problems.notReady('The client disconnected', 1))
  if (raw.destroyed) onClose()
  raw.once('close', onClose)
  try {
    return await wait(disconnected.signal)
  } finally {
    raw.off('close', onClose)
  }
}
