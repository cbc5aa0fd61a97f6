import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { CliError } from '../errors.ts'
import { makeFolder } from '../make-folder.ts'
import type { Surroundings } from '../surroundings.ts'
import { storeUnusable } from './store-errors.ts'

/** Where the tool keeps what it keeps: nobody else may look inside, and it is never the folder one happens to be in. */
export function configFolder({ env, system }: Pick<Surroundings, 'env' | 'system'>): string {
  if (system === 'win32') return join(whole(env.APPDATA) ?? join(homeOf(env), 'AppData', 'Roaming'), 'storey')
  return join(whole(env.XDG_CONFIG_HOME) ?? join(homeOf(env), '.config'), 'storey')
}

function homeOf(env: Surroundings['env']): string {
  const home = whole(env.HOME) ?? whole(env.USERPROFILE) ?? whole(homedir()) ?? whole(homeOfAccount())
  if (home !== undefined) return home
  throw new CliError('This account has no home folder to keep a session in.', {
    code: 'NO_HOME',
    next: 'Set XDG_CONFIG_HOME to a folder of yours, or use SVC_API_TOKEN with an API key.',
  })
}

/** What is said of the account itself, whatever the environment says. */
function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}

const whole = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined)

export async function makeConfigFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700).catch((error) => {
    throw storeUnusable(folder, error)
  })
}
