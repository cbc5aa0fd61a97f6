import { relative } from 'node:path'
import { VERSION } from '@storey/contract'
import { ConfigError } from '@storey/kit/config'
import { createLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { applyProxy } from './apply-proxy.ts'
import { type Service, startService } from './service.ts'
import { isProduction, readSettings } from './settings.ts'
import { captureStrayOutput } from './stray-output.ts'
import { toolAlias } from './tool-alias.ts'

const production = isProduction(process.env)
const log = createLog({ level: 'info', form: production ? 'json' : 'lines', name: 'storey' })
if (production) captureStrayOutput(log)
// Writing to a closed terminal fails. This error must not prevent an orderly shutdown.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const SAME_INTERRUPT_MS = 300

/** Prints to the terminal; in production, to the log. */
const print = (text: string) => (production ? log.info(text) : process.stderr.write(`${text}\n`))
const printError = (text: string) => (production ? log.fatal(text) : process.stderr.write(`storey: ${text}\n`))

/** Starts the service and prints its address. A signal stops the service gracefully. */
async function main(): Promise<void> {
  let service: Service | undefined
  let ending = false
  const end = async (code: number) => {
    if (ending) return
    ending = true
    await service?.close()
    process.exit(service?.hasLeftRunning() ? 1 : code)
  }
  const onFatal = (err: Error) => {
    printError(err.message)
    void end(1)
  }
  const stopping = new AbortController()
  const onSignal = () => {
    if (stopping.signal.aborted) return
    print(production ? 'stopping' : '\nStopping…')
    stopping.abort()
    starting.catch(() => undefined).finally(() => end(0))
  }
  let interrupts = 0
  let lastMs = Number.NEGATIVE_INFINITY
  process.on('SIGINT', () => {
    // One Ctrl-C arrives as several signals: from the terminal, and from the processes that started this one.
    if (performance.now() - lastMs < SAME_INTERRUPT_MS) return
    lastMs = performance.now()
    // The third Ctrl-C exits immediately.
    if (++interrupts >= 3) process.exit(130)
    onSignal()
  })
  process.on('SIGTERM', onSignal).on('SIGHUP', onSignal).on('disconnect', onSignal)

  const settings = readSettings(process.env)
  applyProxy(process.env)
  const starting = startService(settings, onFatal, { signal: stopping.signal, print }).then((started) => {
    service = started
    if (!stopping.signal.aborted) process.stdout.write(production ? readyLine(started) : welcome(started))
  })
  await starting.catch((err) => {
    if (!stopping.signal.aborted) throw err
  })
}

/** Printed at every log level, because a supervisor may wait for it. */
function readyLine({ address }: Service): string {
  const msg = `Storey ${VERSION} is ready.`
  const line = { level: 'info', time: new Date().toISOString(), name: 'storey', pid: process.pid, address, msg }
  return `${JSON.stringify(line)}\n`
}

function welcome({ address, demo, mqtt, folder }: Service): string {
  const place = relative('.', folder.path) || '.'
  const password =
    demo?.password === undefined
      ? 'with the password that was set earlier'
      : `password ${demo.password} (in ${place}/demo-password)`
  const signIn = demo && `  Demo developer  ${demo.email}, ${password}\n`
  return `
Storey ${VERSION} is ready.

  Portal          ${address}
  API reference   ${address}/docs
  Sandboxes       each has its own address, printed when it is created
${mqtt === undefined ? '' : `  MQTT            ${mqtt}\n`}${signIn ?? ''}
Next, in another terminal (or create a sandbox in the portal):

  1. Set up the CLI    ${toolAlias(address, process.cwd())}
  2. Sign in           svc login
  3. Create a sandbox  svc sandbox create --name "My first mall" --type mall

Ctrl-C stops everything.
`
}

main().catch((err: unknown) => {
  if (err instanceof ConfigError) err.errors.forEach(printError)
  else if (err instanceof StartupError) printError(err.message)
  else if (production) log.fatal({ err }, 'startup failed')
  else printError(`startup failed\n${err instanceof Error ? (err.stack ?? err.message) : err}`)
  process.exit(1)
})
