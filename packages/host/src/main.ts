import { setGlobalProxyFromEnv } from 'node:http'
import { relative } from 'node:path'
import { VERSION } from '@storey/contract'
import { ConfigError } from '@storey/kit/config'
import { StartupError } from '@storey/kit/startup-error'
import { type Service, startService } from './service.ts'
import { readSettings } from './settings.ts'
import { usesProxy } from './stack-environment.ts'

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
    process.stderr.write(`storey: ${err.message}\n`)
    void end(1)
  }
  let asked = 0
  const onSignal = () => {
    if (++asked === 1) process.stderr.write('\nStopping…\n')
    // Whoever asks a third time does not want to wait any longer.
    if (asked >= 3) process.exit(130)
    starting.finally(() => end(0))
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('disconnect', onSignal)

  // Node does so by itself only when told by a variable of its own.
  if (usesProxy(process.env) && process.env.NODE_USE_ENV_PROXY === undefined) setGlobalProxyFromEnv()
  const starting = startService(readSettings(process.env), onFatal).then((started) => {
    service = started
    if (asked === 0) process.stdout.write(welcome(started))
  })
  await starting
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
  if (err instanceof ConfigError) {
    for (const complaint of err.complaints) process.stderr.write(`storey: ${complaint}\n`)
  } else if (err instanceof StartupError) {
    process.stderr.write(`storey: ${err.message}\n`)
  } else {
    process.stderr.write(`storey: could not start\n${err instanceof Error ? (err.stack ?? err.message) : err}\n`)
  }
  process.exit(1)
})
