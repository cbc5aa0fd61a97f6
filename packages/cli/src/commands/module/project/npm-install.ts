import { spawn } from 'node:child_process'
import type { Context } from '../../../context.ts'
import { CliError } from '../../../errors.ts'
import { startProgress } from '../../../output/progress.ts'
import { npmEnvironment } from './npm-environment.mjs'

const ARGS = ['install', '--no-audit', '--no-fund', '--loglevel=error']
const TAIL_LINES = 15

/** Installs the project's packages. npm gets none of the tool's credentials, and its output is shown only if it fails. */
export async function npmInstall(context: Context, folder: string): Promise<void> {
  const progress = startProgress(context.out, context.clock.now)
  progress.show('Installing packages', undefined)
  const { code, output } = await runNpm(context, folder).finally(() => progress.end())
  if (code === 0) return
  const why = output.trim().split('\n').slice(-TAIL_LINES).join('\n')
  throw new CliError(`The project was created, but npm could not install its packages:\n${why}`, {
    code: 'NPM_INSTALL_FAILED',
    next: `Fix that, then run "npm install" in ${folder}.`,
  })
}

function runNpm(context: Context, folder: string): Promise<{ code: number | null; output: string }> {
  const isWindows = context.system === 'win32'
  return new Promise((resolve) => {
    // On Windows npm is a script, which only a shell can start. The arguments are constants, so the shell is safe.
    const child = spawn(isWindows ? 'npm.cmd' : 'npm', ARGS, {
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
