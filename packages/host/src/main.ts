import { setGlobalProxyFromEnv } from 'node:http'
import { relative } from 'node:path'
import { VERSION } from '@storey/contract'
import { ConfigError } from '@storey/kit/config'
import { createLog } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { type Service, startService } from './service.ts'
import { isProduction, readSettings } from './settings.ts'
import { usesProxy } from './stack-environment.ts'
import { captureStrayOutput } from './stray-output.ts'

const production = isProduction(process.env)
const log = createLog({ level: 'info', form: production ? 'json' : 'lines', name: 'storey' })
if (production) captureStrayOutput(log)
// A terminal that was closed takes no more words; that must not keep anything from ending in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

/** What a person reads at the terminal; in production a line of the log. */
const tell = (text: string) => (production ? log.info(text) : process.stderr.write(`${text}\n`))
const complain = (text: string) => (production ? log.fatal(text) : process.stderr.write(`storey: ${text}\n`))

/** Starts everything, says where it is, and ends everything in order when told to. */
async function main(): Promise<void> {
  let service: Service | undefined
  let ending = false
  const end = async (code: number) => {
    if (ending) return
    ending = true
    await service?.close()
    process.exit(code)
  }
  const onFatal = (err: Error) => {
    complain(err.message)
    void end(1)
  }
  const stopping = new AbortController()
  const onSignal = () => {
    if (stopping.signal.aborted) return
    tell(production ? 'stopping' : '\nStopping…')
    stopping.abort()
    starting.catch(() => undefined).finally(() => end(0))
  }
  let interrupts = 0
  process.on('SIGINT', () => {
    // Whoever asks a third time does not want to wait any longer.
    if (++interrupts >= 3) process.exit(130)
    onSignal()
  })
  process.on('SIGTERM', onSignal).on('SIGHUP', onSignal).on('disconnect', onSignal)

  // Node does so by itself only when told by a variable of its own.
  if (usesProxy(process.env) && process.env.NODE_USE_ENV_PROXY === undefined) setGlobalProxyFromEnv()
  const starting = startService(readSettings(process.env), onFatal, { signal: stopping.signal, tell }).then(
    (started) => {
      service = started
      if (!stopping.signal.aborted) process.stdout.write(production ? readyLine(started) : welcome(started))
    },
  )
  await starting.catch((err) => {
    if (!stopping.signal.aborted) throw err
  })
}

/** Whatever the level of the log: somebody may wait for it. */
function readyLine({ address }: Service): string {
  const msg = `Storey ${VERSION} is ready.`
  const line = { level: 'info', time: new Date().toISOString(), name: 'storey', pid: process.pid, address, msg }
  return `${JSON.stringify(line)}\n`
}

function welcome({ address, demo, folder }: Service): string {
  const place = relative('.', folder.path) || '.'
  const signIn = demo && `  Demo developer  ${demo.email}, password ${demo.password} (in ${place}/demo-password)\n`
  const svc = `${address === 'http://localhost:4000' ? '' : `SVC_SANDBOX_API_URL=${address} `}npm --prefix ${process.cwd()} run --silent svc --`
  return `
Storey ${VERSION} is ready.

  Portal          ${address}
  API reference   ${address}/docs
  Sandboxes       each at an address of its own, told when it is made
${signIn ?? ''}
Try next, in another terminal (or make a sandbox in the portal):

  1. The tool        alias svc='${svc}'
  2. Sign in         svc login
  3. Make a sandbox  svc sandbox create --name "My first mall" --type mall

Ctrl-C stops everything.
`
}

main().catch((err: unknown) => {
  if (err instanceof ConfigError) err.complaints.forEach(complain)
  else if (err instanceof StartupError) complain(err.message)
  else if (production) log.fatal({ err }, 'could not start')
  else complain(`could not start\n${err instanceof Error ? (err.stack ?? err.message) : err}`)
  process.exit(1)
})
