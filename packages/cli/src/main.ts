#!/usr/bin/env node
import module from 'node:module'
import { VERSION } from '@storey/contract'
import { createContext, systemClock } from './context.ts'
import { EXIT } from './errors.ts'
import { Output } from './output/output.ts'
import { run, tellInterrupted } from './run.ts'

// Absent before Node 22.8, where a start takes a little longer.
module.enableCompileCache?.()

const { env, stdin, stdout, stderr } = process
// npm runs scripts in the repository's root; files are named from where the person stands.
const cwd = env.npm_lifecycle_event === 'svc' && env.INIT_CWD ? env.INIT_CWD : process.cwd()
const out = new Output(stdout, stderr, env)
const surroundings = { version: VERSION, env, cwd, system: process.platform, stdin, out, clock: systemClock }
const context = createContext(surroundings, { format: 'text' })

// `svc sandbox list | head -1` closes the pipe early, and that is no fault.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.refused)
  })
}
process.on('SIGINT', () => {
  tellInterrupted(context)
  process.exit(EXIT.interrupted)
})

run(context, process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
