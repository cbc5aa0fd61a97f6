#!/usr/bin/env node
import module from 'node:module'
import { VERSION } from '@storey/contract'
import { createContext } from './create-context.ts'
import { systemClock } from './environment.ts'
import { EXIT, type ExitCode } from './errors.ts'
import { Output } from './output/output.ts'
import { reportIncomplete, reportInterrupted, reportUnwritten, run } from './run.ts'

// The compile cache makes later starts faster. Only Node 22.8 and later have it.
module.enableCompileCache?.()

const { env, stdin, stdout, stderr } = process
// In a clone the tool runs in the root of the repository, but paths are relative to the user's working directory.
const cwd = env.SVC_CALLER_FOLDER || (env.npm_lifecycle_event === 'svc' && env.INIT_CWD) || process.cwd()
const out = new Output(stdout, stderr, env)
const environment = { version: VERSION, env, cwd, system: process.platform, stdin, out, clock: systemClock }
const context = createContext(environment, { format: 'text' })

let hasEnded = false
function end(code: ExitCode): never {
  hasEnded = true
  process.exit(code)
}

stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `svc sandbox list | head -1` closes the pipe early, which is not an error.
  if (error.code === 'EPIPE') end(EXIT.ok)
  reportUnwritten(context, error)
  end(EXIT.refused)
})
// If nobody reads stderr any more, its messages are lost, but the exit code still reports the result.
stderr.on('error', () => undefined)
process.on('SIGINT', () => {
  reportInterrupted(context)
  end(EXIT.interrupted)
})

// In a clone scripts/run.mjs starts the tool. When that process is killed, this process is disconnected and ends:
// nothing else would stop `listen`.
process.on('disconnect', () => end(EXIT.interrupted))
process.channel?.unref()

// If the event loop is empty before the command has finished, the exit code must not be 0.
process.on('exit', () => {
  if (hasEnded) return
  reportIncomplete(context)
  process.exitCode = EXIT.unreachable
})

run(context, process.argv.slice(2)).then((code) => {
  hasEnded = true
  process.exitCode = code
})
