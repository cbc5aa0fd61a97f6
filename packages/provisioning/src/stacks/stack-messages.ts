import type { ChildProcess, SendHandle } from 'node:child_process'
import { Socket } from 'node:net'
import type { StackMessage } from '@storey/contract'
import type { Log } from '@storey/kit/log'

/**
 * Handles what a stack has sent if it is an object with a type. Any other field may be absent or have a wrong type,
 * since stacks are not trusted. An error while a message is handled is logged, and does not end this process.
 */
export function handleMessage(message: unknown, log: Log, handle: (message: StackMessage) => void): void {
  try {
    if (isMessage(message)) handle(message)
  } catch (err) {
    log.debug({ err }, 'invalid message of a stack ignored')
  }
}

const isMessage = (message: unknown): message is StackMessage =>
  typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string'

/** Handles the messages of a child process. Returns a function that removes the listener. */
export function listenToStack(
  child: ChildProcess,
  log: Log,
  handle: (message: StackMessage, socket: Socket | undefined) => void,
): () => void {
  const listener = (message: unknown, carried: SendHandle) => {
    // Only `returned` may carry a socket. Anything else that a message carries would stay open in this process.
    const isReturned = isMessage(message) && message.type === 'returned' && carried instanceof Socket
    handleMessage(message, log, (known) => handle(known, isReturned ? carried : undefined))
    if (!isReturned) close(carried)
  }
  child.on('message', listener)
  return () => void child.off('message', listener)
}

function close(carried: SendHandle): void {
  if (carried instanceof Socket) carried.destroy()
  else carried?.close()
}

/** The time in a message `due`: null if no work is due, undefined if the message is invalid. */
export function dueAtIn({ at }: Extract<StackMessage, { type: 'due' }>): Date | null | undefined {
  if (at === null) return null
  const time = new Date(typeof at === 'string' ? at : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Whether the port in a message `listening` is a valid port number. */
export const hasPort = ({ port }: Extract<StackMessage, { type: 'listening' }>): boolean =>
  Number.isInteger(port) && port > 0 && port <= 65_535
