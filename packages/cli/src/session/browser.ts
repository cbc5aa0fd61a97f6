import { spawn } from 'node:child_process'
import type { Surroundings } from '../surroundings.ts'

/** Opens a browser if possible; fails silently, since the address is shown anyway. */
export function openBrowser({ env, system }: Pick<Surroundings, 'env' | 'system'>, url: string): void {
  if (!/^https?:\/\//.test(url)) return
  const command = commandFor(env, system)
  if (command === undefined) return
  const [program, ...args] = command
  const child = spawn(program!, [...args, url], { stdio: 'ignore', detached: true, env: withoutToken(env) })
  child.on('error', () => undefined)
  child.unref()
}

function commandFor(env: Surroundings['env'], system: NodeJS.Platform): string[] | undefined {
  if (system === 'darwin') return ['open']
  // rundll32 passes the address unchanged; cmd would interpret its ampersands.
  if (system === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** The token is not passed to the browser and its child processes. */
function withoutToken({ SVC_API_TOKEN: _, ...env }: Surroundings['env']): NodeJS.ProcessEnv {
  return env
}
