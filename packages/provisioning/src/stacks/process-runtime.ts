import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import {
  type SeedConfig,
  type SeedResult,
  type ServeConfig,
  type StackCommand,
  UNAVAILABLE_EXIT_CODE,
} from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { guardChannel } from './guard-channel.ts'
import { createSharedCompileCache } from './shared-compile-cache.ts'
import { createSpareProcesses, takesWork } from './spare-processes.ts'
import { createStackSpawner, type StackProcessOptions } from './spawn-stack.ts'
import { createStackFolders } from './stack-folders.ts'
import { dueAtIn, hasPort, listenToStack } from './stack-messages.ts'
import { forwardOutput } from './stack-output.ts'
import { createStackReports, processReports } from './stack-reports.ts'
import {
  DatabaseUnavailable,
  type RunningStack,
  SchemaMismatch,
  SeedError,
  SeedKilled,
  StackEnded,
  type StackExit,
  type StackRuntime,
  StartTimedOut,
} from './stack-runtime.ts'
import { chooseStackUsers, type Identity } from './stack-users.ts'
import { createConnectionTransfer } from './transfer-connection.ts'

export interface ProcessRuntimeOptions extends StackProcessOptions {
  /** The parent of the sandboxes' folders. */
  folder: string
  /** How many spare processes, with the stack's code loaded, wait for a sandbox that wakes. */
  spareProcesses?: number
  /** The time limit of a start before it is doubled; by default `START_LIMIT_MS`. */
  startLimitMs?: number
  log: Log
}

const SEED_LIMIT_MS = 15 * 60_000
/** The time limit of a start. It doubles after each start in a row that exceeded it, up to the maximum. */
const START_LIMIT_MS = 30_000
const MAX_START_LIMIT_MS = 8 * 60_000
const STOP_LIMIT_MS = 8_000

/**
 * On Windows the reads of several connections are in progress at the same time, so the connections of a stack cannot
 * share a read buffer, as direct ingest requires. Stacks have no direct ingest there.
 */
const SHARES_READ_BUFFERS = process.platform !== 'win32'

/** Runs each stack as a child process. Children exit with this process, because their channel closes. */
export function createProcessRuntime(options: ProcessRuntimeOptions): StackRuntime & { close(): Promise<void> } {
  const { log } = options
  const users = chooseStackUsers({ folder: options.folder, reads: prepareReadPaths(options), log })
  const code = createSharedCompileCache(options.compileCache)
  const folders = createStackFolders(options.folder, users)
  const reports = createStackReports()
  /** How many starts of a sandbox in a row exceeded their time limit. */
  const timeouts = new Map<string, number>()
  const serving = new Map<string, { child: ChildProcess; listening: boolean; ended: Promise<void> }>()

  const processes = createStackSpawner(options)
  const spawn: typeof processes.run = (command, details) => {
    const child = processes.run(command, details)
    guardChannel(child, log)
    return child
  }
  const spares = createSpareProcesses({
    count: options.spareProcesses ?? 0,
    spawn: () => spawn('spare', {}),
    log,
  })
  let isWarm = false
  /** Compiles the stack's code once, for the starts that follow. */
  function warm(): void {
    if (isWarm) return
    isWarm = true
    const child = processes.warm()
    const failed = (err: unknown) => log.debug({ err }, 'could not warm the compile cache')
    child.once('error', failed)
    if (users.isSeparate) child.once('exit', () => void code.publish().catch(failed))
    child.unref()
    child.channel?.unref()
  }

  /**
   * On a machine that is short of CPU time every start is slow. With a constant limit every stack would be ended and
   * started again, and none would ever listen.
   */
  const startLimitOf = (sandboxId: string): number =>
    Math.min((options.startLimitMs ?? START_LIMIT_MS) * 2 ** (timeouts.get(sandboxId) ?? 0), MAX_START_LIMIT_MS)

  function startTimedOut(sandboxId: string): void {
    timeouts.set(sandboxId, (timeouts.get(sandboxId) ?? 0) + 1)
    // A stack that runs as a separate user cannot write compiled code, so the next start would compile all of it again.
    if (users.isSeparate) warm()
  }

  async function launch(command: 'seed' | 'serve', config: SeedConfig | ServeConfig) {
    const cwd = await folders.make(config.sandboxId)
    const identity = users.identityOf(config.sandboxId)
    const child = (command === 'serve' ? await takeSpare(config, cwd, identity) : undefined) ?? (await spawnFor())
    forwardOutput(child, config.sandboxId, config.logForm, log)
    const ended = new Promise<void>((resolve) => {
      // `close` comes after `exit`, when all messages of the process have been received.
      child.once('close', () => resolve())
      child.once('error', (err) => {
        log.error({ err, sandboxId: config.sandboxId }, 'could not start a process of the sandbox')
        resolve()
      })
    })
    return { child, ended }

    async function spawnFor(): Promise<ChildProcess> {
      if (identity.uid !== undefined) await code.linkFor(identity.uid)
      return spawn(command, { cwd, ...identity, config })
    }
  }

  /**
   * Gives the configuration to a spare process. Returns undefined if there is no spare process, or if it hangs or
   * exits: the caller then starts a new process, and does not wait for the start limit.
   */
  async function takeSpare(
    config: SeedConfig | ServeConfig,
    folder: string,
    { uid, gid }: Identity,
  ): Promise<ChildProcess | undefined> {
    const child = spares.take()
    if (!child?.connected) return undefined
    const user = uid === undefined || gid === undefined ? {} : { user: { uid, gid } }
    sendTo(child, { type: 'serve', config: JSON.stringify(config), folder, ...user })
    if (await takesWork(child, log)) return child
    log.debug({ pid: child.pid, sandboxId: config.sandboxId }, 'spare process did not respond')
    return undefined
  }

  return {
    async seed(config, report, signal) {
      warm()
      const { child, ended } = await launch('seed', config)
      let isGivenUp = false
      const giveUp = () => {
        isGivenUp = true
        child.kill('SIGKILL')
      }
      const timer = setTimeout(giveUp, SEED_LIMIT_MS)
      signal.addEventListener('abort', giveUp)
      if (signal.aborted) giveUp()
      let result: SeedResult | undefined
      listenToStack(child, log, (message) => {
        if (message.type === 'progress') report(message.percent, message.step)
        if (message.type === 'seeded') result = message.result
      })
      await ended
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      if (result !== undefined && child.exitCode === 0) return result
      if (child.exitCode === UNAVAILABLE_EXIT_CODE) throw new DatabaseUnavailable('the database is unavailable')
      if (child.signalCode !== null && !isGivenUp) throw new SeedKilled(`seeding was ended by ${child.signalCode}`)
      // Node reports a negative exit code if the system could not start the process, for example because the limit of
      // processes is reached.
      if (child.exitCode! < 0) throw new SeedKilled(`seeding could not be started: ${child.exitCode}`)
      const how = child.signalCode === null ? `code ${child.exitCode}` : `signal ${child.signalCode}`
      throw new SeedError(`Seeding failed: the process exited with ${how}`)
    },

    async start(config, onDue, onStorage) {
      const { child, ended } = await launch('serve', config)
      const entry = { child, listening: false, ended }
      listenToStack(child, log, (message) => {
        if (message.type === 'storage' && Number.isSafeInteger(message.bytes)) onStorage?.(message.bytes)
        if (message.type !== 'due') return
        const at = dueAtIn(message)
        if (at !== undefined) onDue(at)
      })
      serving.set(config.sandboxId, entry)
      ended.then(() => {
        if (serving.get(config.sandboxId) === entry) serving.delete(config.sandboxId)
      })
      const port = await listeningPort(child, ended, startLimitOf(config.sandboxId), log).catch((err) => {
        if (err instanceof StartTimedOut) startTimedOut(config.sandboxId)
        throw err
      })
      timeouts.delete(config.sandboxId)
      entry.listening = true
      // Stacks that run as separate users cannot write the compile cache, so another process fills it.
      if (users.isSeparate) warm()
      reports.follow(config.sandboxId, processReports(child, log), ended)
      log.debug({ sandboxId: config.sandboxId, pid: child.pid, port }, 'stack started')
      const { transferConnection, directIngest } = createConnectionTransfer(child, ended, log)
      return {
        ...{ host: '127.0.0.1', port, ended, exit: () => exitOf(child), transferConnection },
        ...(SHARES_READ_BUFFERS ? { directIngest } : {}),
      } satisfies RunningStack
    },

    async stop(sandboxId) {
      const entry = serving.get(sandboxId)
      if (!entry) return
      sendTo(entry.child, { type: 'stop' })
      const timer = setTimeout(() => entry.child.kill('SIGKILL'), STOP_LIMIT_MS)
      await entry.ended
      clearTimeout(timer)
      log.debug({ sandboxId }, 'stack stopped')
    },

    send(sandboxId, command) {
      const entry = serving.get(sandboxId)
      if (entry) sendTo(entry.child, command)
    },

    status(sandboxId) {
      const entry = serving.get(sandboxId)
      if (!entry) return 'stopped'
      return entry.listening ? 'running' : 'starting'
    },

    listRunning: async () => [...serving.keys()],

    pidOf: (sandboxId) => serving.get(sandboxId)?.child.pid,

    prepare: spares.fill,
    close: spares.close,
    report: reports.read,
    async removeFiles(sandboxId) {
      timeouts.delete(sandboxId)
      await folders.removeFiles(sandboxId)
      const { uid } = users.identityOf(sandboxId)
      if (uid !== undefined) await code.removeFor(uid)
    },
    listFiles: folders.listFiles,
  }
}

function prepareReadPaths({ program, compileCache, environment }: ProcessRuntimeOptions): string[] {
  mkdirSync(compileCache, { recursive: true })
  // Stacks that run as other users read this folder, whatever the umask of the service is.
  if (process.getuid?.() === 0) chmodSync(compileCache, 0o755)
  const certificates = environment.NODE_EXTRA_CA_CERTS
  return [program, compileCache, ...(certificates === undefined ? [] : [certificates])]
}

const exitOf = (child: ChildProcess): StackExit => ({ exitCode: child.exitCode, signal: child.signalCode })

function sendTo(child: ChildProcess, command: StackCommand): void {
  if (child.connected) child.send(command, () => undefined)
}

/** The CPU time of the process's main thread; undefined where the system does not report it. */
function cpuSecondsOf(pid: number | undefined): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9
  } catch {
    return undefined
  }
}

function listeningPort(child: ChildProcess, ended: Promise<void>, limitMs: number, log: Log): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new StartTimedOut(limitMs, cpuSecondsOf(child.pid)))
      child.kill('SIGKILL')
    }, limitMs)
    listenToStack(child, log, (message) => {
      if (message.type === 'schema') reject(new SchemaMismatch(message.state, message.version))
      if (message.type !== 'listening' || !hasPort(message)) return
      clearTimeout(timer)
      resolve(message.port)
    })
    ended.then(() => {
      clearTimeout(timer)
      if (child.exitCode === UNAVAILABLE_EXIT_CODE)
        return reject(new DatabaseUnavailable('the database is unavailable'))
      reject(new StackEnded(exitOf(child)))
    })
  })
}
