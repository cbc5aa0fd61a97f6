import { ServeConfig, type StackCommand } from '@storey/contract'
import { createJsonReader } from '@storey/kit/json-setting'
import { OOM_SCORES, setOomScore } from '@storey/kit/oom-score'
import { loadTracing, type TracingSettings } from '@storey/kit/tracing'
import { ipcChannel } from './channel.ts'

type Serve = Extract<StackCommand, { type: 'serve' }>

/** Loads and compiles the code of a stack, waits until a sandbox needs a stack, and becomes that stack. */
export async function spare(tracing?: TracingSettings): Promise<void> {
  const exit = () => process.exit(0)
  process.on('disconnect', exit)
  process.on('SIGTERM', exit)
  // A terminal sends Ctrl-C to the whole process group, but the control plane decides when its children stop.
  process.on('SIGINT', () => undefined)
  const command = nextCommand()
  const [{ serve }, { precompileHttp }] = await Promise.all([import('./serve.ts'), import('./precompile-http.ts')])
  const readConfig = createJsonReader('the configuration', ServeConfig)
  await precompileHttp()
  if (tracing) await loadTracing()
  const { config, folder, user } = await command
  process.off('disconnect', exit)
  process.off('SIGTERM', exit)
  // The OOM score of a spare process differs from that of a stack. The process may no longer change it after
  // `dropPrivileges`.
  setOomScore(OOM_SCORES.stack)
  if (user) dropPrivileges(user)
  process.chdir(folder)
  await serve(readConfig(config), tracing)
}

function nextCommand(): Promise<Serve> {
  return new Promise((resolve) => {
    process.on('message', function read(command: StackCommand) {
      if (command.type !== 'serve') return
      process.off('message', read)
      void ipcChannel.send({ type: 'taken' })
      resolve(command)
    })
  })
}

/** Becomes the user of a sandbox. A process with a changed user id cannot become root again. */
function dropPrivileges({ uid, gid }: NonNullable<Serve['user']>): void {
  process.setgroups!([])
  process.setgid!(gid)
  process.setuid!(uid)
}
