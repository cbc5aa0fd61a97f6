import type { StackMessage, StackOrder } from '@storey/contract'

/**
 * The line to the control plane: the channel this process was started with. Without one, nobody listens.
 * A control plane that has gone is heard as a disconnect; the message it misses is of no more use.
 */
export function send(message: StackMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}

/** Calls back once, when the control plane says stop, or has gone, or the system asks the process to end. */
export function onStop(stop: (reason: string) => void): void {
  let stopping = false
  const stopFor = (reason: string) => {
    if (stopping) return
    stopping = true
    stop(reason)
  }
  process.on('message', (order: StackOrder) => {
    if (order.type === 'stop') stopFor('told to stop')
  })
  process.on('disconnect', () => stopFor('the control plane has gone'))
  process.on('SIGTERM', () => stopFor('SIGTERM'))
  // A terminal sends Ctrl-C to the whole group; the control plane decides the order in which its children end.
  process.on('SIGINT', () => undefined)
  const wentEarlier = process.send !== undefined && !process.connected
  if (wentEarlier) stopFor('the control plane has gone')
}
