import { type ControlCommand, type StackCommand, type StackMessage, StackReport } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { Check } from 'typebox/value'
import { followMessages, postCommand } from './control-client.ts'
import { dueAtIn, hasPort } from './stack-messages.ts'
import type { ReportSource } from './stack-reports.ts'
import { type OnDue, type RunningStack, SchemaMismatch, StackEnded, type StackExit } from './stack-runtime.ts'

export interface RemoteStackOptions {
  sandboxId: string
  host: string
  controlPort: number
  internalKey: string
  onDue: OnDue
  onStorage?: ((bytes: number) => void) | undefined
  log: Log
  /**
   * If the stack cannot be reached for this long, it counts as ended. With Infinity it counts as ended only when it
   * reports its stop, or when `end` is called.
   */
  lostAfterMs?: number
}

/** A stack on another machine. */
export interface RemoteStack {
  /** Resolves when the stack listens. Rejects with SchemaMismatch, or with StackEnded if the stack ended earlier. */
  listening: Promise<RunningStack>
  /** Resolves when the stack has ended. */
  ended: Promise<void>
  /** Sends a command when the stack listens. The command is dropped if the stack has ended. */
  send(command: StackCommand): void
  /**
   * Sends a command when the stack listens. Resolves when the stack has taken the command. Rejects if the stack has not
   * taken it, or has ended. A command that only a stack on this machine can handle is dropped, and resolves immediately.
   */
  deliver(command: StackCommand): Promise<void>
  reports: ReportSource
  /** How the stack ended, if that is known. */
  exit(): StackExit
  /** Stops following the stack, which then counts as ended. `exit` is how it ended, if that is known. */
  end(exit?: StackExit): void
}

/** This must be longer than a short failure of the network, so that such a failure ends no stack. */
const LOST_AFTER_MS = 15_000
const COMMAND_LIMIT_MS = 5_000
const COMMAND_ATTEMPTS = 4
const COMMAND_PAUSE_MS = 250

/**
 * Follows a stack by its control channel, and connects again with a growing pause when the connection breaks. The stack
 * reports its state at each connection, so the state is up to date after a break.
 */
export function createRemoteStack(options: RemoteStackOptions): RemoteStack {
  const { sandboxId, host, log, onDue, onStorage } = options
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>()
  const { promise: listening, resolve, reject } = Promise.withResolvers<RunningStack>()
  listening.catch(() => undefined)
  const address = { host, port: options.controlPort, key: options.internalKey }
  const reportListeners: ((report: StackReport) => void)[] = []
  let exit: StackExit | undefined
  let hasEnded = false

  const follower = followMessages({
    ...address,
    lostAfterMs: options.lostAfterMs ?? LOST_AFTER_MS,
    onMessage: take,
    log,
    onLost: () => {
      log.warn({ sandboxId, host }, 'stack unreachable, no longer following it')
      end()
    },
  })

  function take(message: StackMessage): void {
    if (message.type === 'listening' && hasPort(message)) resolve(running(message.port))
    if (message.type === 'schema') reject(new SchemaMismatch(message.state, message.version))
    if (message.type === 'storage' && Number.isSafeInteger(message.bytes)) onStorage?.(message.bytes)
    if (message.type === 'due') {
      const at = dueAtIn(message)
      if (at !== undefined) onDue(at)
    }
    if (message.type === 'stopped') end({ exitCode: 0, signal: null })
  }

  const exitNow = (): StackExit => exit ?? { exitCode: null, signal: null }
  const running = (port: number): RunningStack => ({ host, port, ended, exit: exitNow })

  function end(known?: StackExit): void {
    if (hasEnded) return
    hasEnded = true
    exit = known
    follower.close()
    reject(new StackEnded(exitNow()))
    resolveEnded()
  }

  async function post(command: ControlCommand): Promise<void> {
    await listening
    for (let attempt = 1; ; attempt++) {
      if (hasEnded) throw new StackEnded(exitNow())
      try {
        return void (await postCommand(address, command, COMMAND_LIMIT_MS))
      } catch (err) {
        if (attempt >= COMMAND_ATTEMPTS) throw err
        await new Promise((resolve) => setTimeout(resolve, COMMAND_PAUSE_MS * 2 ** attempt).unref())
      }
    }
  }

  /** Commands that only a local process can handle are dropped. */
  async function deliver(command: StackCommand): Promise<void> {
    if (command.type === 'serve' || command.type === 'connection' || command.type === 'ingest') return
    if (command.type !== 'publish' && command.type !== 'return') await post(command)
  }

  return {
    listening,
    ended,
    deliver,
    send(command) {
      deliver(command).catch((err) => {
        if (!hasEnded) log.warn({ err, sandboxId, command: command.type }, 'stack did not take a command')
      })
    },
    reports: {
      ask() {
        postCommand(address, { type: 'report' }, COMMAND_LIMIT_MS).then(
          // An invalid report is ignored, as if the stack had not responded.
          (report) => {
            if (Check(StackReport, report)) for (const take of reportListeners) take(report)
          },
          () => undefined,
        )
      },
      onReport: (listener) => void reportListeners.push(listener),
    },
    exit: exitNow,
    end,
  }
}
