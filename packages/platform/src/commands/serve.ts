import { flushCompileCache } from 'node:module'
import { type ServeConfig, UNAVAILABLE_EXIT_CODE } from '@storey/contract'
import { latestTime } from '@storey/kit/clock'
import { createLog } from '@storey/kit/log'
import { openTracing, type TracingSettings } from '@storey/kit/tracing'
import { createStack, SchemaMismatch } from '../create-stack.ts'
import { onConnection, onIngestConnection, onStop } from './channel.ts'
import { OUT_OF_MEMORY_EXIT_CODE, watchMemory } from './memory-guard.ts'
import { openChannel } from './open-channel.ts'

/**
 * The compile cache is written this long after the start, and again this long after the process listens, so that the
 * first requests are not delayed.
 */
const WRITE_COMPILE_CACHE_AFTER_MS = 3_000

export async function serve(config: ServeConfig, tracingSettings?: TracingSettings): Promise<void> {
  // Operators see this title in the list of processes.
  process.title = `storey ${config.sandboxId} serve`
  const log = createLog({
    level: config.logLevel,
    form: config.logForm,
    name: 'stack',
    fields: { sandboxId: config.sandboxId },
  })
  // Node writes the compile cache when the process ends. A start that is ended because it takes too long would lose
  // it, so the cache is also written during a long start.
  const writeCompileCache = () => void setTimeout(flushCompileCache, WRITE_COMPILE_CACHE_AFTER_MS).unref()
  writeCompileCache()
  const channel = await openChannel(config)
  const memory = watchMemory(config.memoryLimitMb, log, () => void end(OUT_OF_MEMORY_EXIT_CODE))
  const tracing = openTracing(tracingSettings, {
    resource: { 'service.name': `${tracingSettings?.serviceName}-stack`, 'storey.sandbox.id': config.sandboxId },
    // The level is debug, because the control plane sends its spans to the same collector, and logs when the collector
    // is unreachable.
    onFailing: (reason) => log.debug({ reason }, 'traces not exported'),
    onRecovered: (dropped) => log.debug({ dropped }, 'traces exported again'),
  })
  // The control plane starts the stack again when the new database is complete.
  const onReplaced = () => {
    log.warn('database replaced, ending this process')
    void end(UNAVAILABLE_EXIT_CODE)
  }
  const starting = tracing.then(() => createStack(config, log, { folder: process.cwd(), memory, onReplaced }))
  let ending = false
  const end = async (exitCode: number) => {
    ending = true
    await starting.then((stack) => stack.close()).catch(() => undefined)
    await (await tracing).close()
    await channel.close()
    process.exit(exitCode)
  }
  onStop(
    channel,
    (reason) => {
      log.debug({ reason }, 'stack stopping')
      void end(0)
    },
    config.stopDelayMs,
  )

  try {
    const stack = await starting
    const port = await stack.listen()
    log.debug({ port }, 'stack listening')
    onConnection(channel, (socket) => stack.accept(socket))
    onIngestConnection(channel, stack.directIngest)
    channel.onReport(() => stack.report())
    channel.onCommand('revoked', ({ issuer, subject, at }) =>
      stack.revocations.revoke(issuer, subject, at === undefined ? latestTime(stack.clock) : new Date(at)),
    )
    channel.onCommand('people', () => stack.peopleChanged())
    const { controlPort } = channel
    await channel.send({ type: 'listening', port, ...(controlPort === undefined ? {} : { controlPort }) })
    stack.storage.onMeasured((bytes) => void channel.send({ type: 'storage', bytes }))
    // Without this write, other stacks would compile the same code again until this stack ends.
    writeCompileCache()
    stack.dueWork.start((at) => channel.send({ type: 'due', at: at?.toISOString() ?? null }))
  } catch (err) {
    if (err instanceof SchemaMismatch) {
      const { state, version } = err
      log.warn({ state, version }, 'database schema does not match this program')
      await channel.send({ type: 'schema', state, version })
      await channel.close()
      process.exit(1)
    }
    // If the process is already ending, for example after a stop command during the start, the error is expected.
    if (!ending) throw err
  }
}
