import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Surroundings } from '../context.ts'

/** Where the tool keeps what it keeps: nobody else may look inside. */
export function configFolder({ env, system }: Pick<Surroundings, 'env' | 'system'>): string {
  const home = env.HOME || env.USERPROFILE || homedir()
  if (system === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'storey')
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'storey')
}

export async function makeConfigFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}
