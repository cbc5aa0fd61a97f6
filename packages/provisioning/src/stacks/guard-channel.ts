import type { ChildProcess } from 'node:child_process'
import type { Log } from '@storey/kit/log'

type Callback = (...args: unknown[]) => unknown

/**
 * Kills a child process if Node cannot process what the child sends over its IPC channel: bytes that are not JSON, or
 * Node's internal messages at a wrong time. Node throws an error then, which would end this process. Node has no public
 * API to catch that error.
 */
export function guardChannel(child: ChildProcess, log: Log): void {
  const guard = (callback: Callback): Callback =>
    function guarded(this: unknown, ...args) {
      try {
        return Reflect.apply(callback, this, args)
      } catch (err) {
        if (!child.killed) log.warn({ err, pid: child.pid }, 'IPC channel of a stack is unreadable, stopped the stack')
        child.kill('SIGKILL')
        return undefined
      }
    }
  const channel = readerOf(child)
  if (channel) channel.onread = guard(channel.onread)
  // Node listens for its own messages.
  const listeners = child.listeners('internalMessage') as Callback[]
  child.removeAllListeners('internalMessage')
  for (const listener of listeners) child.on('internalMessage', guard(listener))
}

/** The object that reads the channel: a property of the child whose name is a symbol. */
function readerOf(child: ChildProcess): { onread: Callback } | undefined {
  const values = Object.getOwnPropertySymbols(child).map((name) => (child as unknown as Record<symbol, unknown>)[name])
  return values.find(
    (value): value is { onread: Callback } =>
      typeof value === 'object' && value !== null && 'onread' in value && typeof value.onread === 'function',
  )
}
