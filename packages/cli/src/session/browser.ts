import { spawn } from 'node:child_process'
import type { Environment } from '../environment.ts'

/**
 * Opens the address in a browser. Returns false if no browser can be opened here: the caller then prints the address.
 */
export function openBrowser({ env, system }: Pick<Environment, 'env' | 'system'>, url: string): boolean {
  if (!/^https?:\/\//.test(url)) return false
  const command = commandFor(env, system)
  if (command === undefined) return false
  const [program, ...args] = command
  const child = spawn(program!, [...args, url], { stdio: 'ignore', detached: true, env: withoutToken(env) })
  child.on('error', () => undefined)
  child.unref()
  // If the program is not installed, there is no process, and `spawn` reports the error later.
  return child.pid !== undefined
}

function commandFor(env: Environment['env'], system: NodeJS.Platform): string[] | undefined {
  if (system === 'darwin') return ['open']
  // rundll32 passes the address unchanged; cmd would interpret its ampersands.
  if (system === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** The token is not passed to the browser and its child processes. */
function withoutToken({ SVC_API_TOKEN: _, ...env }: Environment['env']): NodeJS.ProcessEnv {
  return env
}
