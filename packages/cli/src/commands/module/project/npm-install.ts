import { spawn } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../../context.ts'
import { CliError } from '../../../errors.ts'
import { startProgress } from '../../../output/progress.ts'
import { npmEnvironment } from './npm-environment.mjs'

const ARGS = ['install', '--no-audit', '--no-fund', '--loglevel=error']
/** Downloads only packages that npm's cache lacks. `npm install` in a clone of Storey may have filled the cache. */
const FROM_CACHE = [...ARGS, '--prefer-offline']
/** npm's error codes for a package version that npm cannot find. */
const UNAVAILABLE = /\bcode (ETARGET|E404)\b/
const TAIL_LINES = 15
/** Signals that end the process without the event `exit`. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/**
 * Installs the project's packages. npm gets none of the tool's credentials. The output of npm is shown only if npm
 * fails.
 */
export async function npmInstall(context: Context, folder: string): Promise<void> {
  const progress = startProgress(context.out, context.clock.now)
  progress.show('Installing packages', undefined)
  const { code, output, isUnlocked } = await attempt(context, folder).finally(() => progress.end())
  if (code === 0) {
    if (isUnlocked) context.out.note(NOT_TESTED)
    return
  }
  const why = output.trim().split('\n').slice(-TAIL_LINES).join('\n')
  throw new CliError(`The project was created, but npm could not install its packages:\n${why}`, {
    code: 'NPM_INSTALL_FAILED',
    next: `Fix the cause, then run "npm install" in ${folder}.`,
  })
}

const NOT_TESTED =
  'The registry lacks a package version that the project was tested with, so npm chose the newest versions that package.json permits.'

interface Outcome {
  code: number | null
  output: string
  isUnlocked?: boolean
}

/**
 * Runs npm with its cached metadata. If npm cannot find a version, runs npm again with the registry's current metadata,
 * and then without the lock file.
 */
async function attempt(context: Context, folder: string): Promise<Outcome> {
  for (const args of [FROM_CACHE, ARGS]) {
    const outcome = await runNpm(context, folder, args)
    if (outcome.code === 0 || !UNAVAILABLE.test(outcome.output)) return outcome
  }
  const lock = join(folder, 'package-lock.json')
  const aside = `${lock}.aside`
  const restore = () => {
    if (existsSync(aside)) renameSync(aside, lock)
  }
  const onSignal = (signal: NodeJS.Signals) => {
    restore()
    // This listener is removed by now, so the signal ends the process.
    process.kill(process.pid, signal)
  }
  // If Ctrl-C ends the process while npm runs, the lock file is restored.
  process.once('exit', restore)
  for (const signal of SIGNALS) process.once(signal, onSignal)
  await rename(lock, aside).catch(() => undefined)
  const outcome = await runNpm(context, folder, ARGS)
  // After a failure the lock file is restored, so that `npm install` by the user installs the tested versions.
  if (outcome.code === 0) await rm(aside, { force: true })
  else await rename(aside, lock).catch(() => undefined)
  process.off('exit', restore)
  for (const signal of SIGNALS) process.off(signal, onSignal)
  return { ...outcome, isUnlocked: true }
}

function runNpm(context: Context, folder: string, args: string[]): Promise<Outcome> {
  const isWindows = context.system === 'win32'
  return new Promise((resolve) => {
    // On Windows npm is a script, which only a shell can start. The arguments are constants, so the shell is safe.
    const child = spawn(isWindows ? 'npm.cmd' : 'npm', args, {
      cwd: folder,
      env: npmEnvironment(context.env),
      shell: isWindows,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const keep = (text: string) => {
      output += text
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.on('error', (error) => resolve({ code: null, output: `${output}\n${error.message}` }))
    child.on('close', (code) => resolve({ code, output }))
  })
}
