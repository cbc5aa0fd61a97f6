import { spawn } from 'node:child_process'
import type { Surroundings } from '../surroundings.ts'

/** Opens an address where there is a screen; says nothing where it cannot, since the address is shown anyway. */
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
  // rundll32 takes the address as it is; cmd would read its ampersands.
  if (system === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** A browser has no use for it, and its children are many. */
function withoutToken({ SVC_API_TOKEN: _, ...env }: Surroundings['env']): NodeJS.ProcessEnv {
  return env
}
