import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../environment.ts'
import { CliError } from '../errors.ts'
import { makeFolder } from '../make-folder.ts'
import { storeUnusable } from './store-errors.ts'

/** The tool's configuration folder: private to the user, and never relative to the working directory. */
export function configFolder({ env, system }: Pick<Environment, 'env' | 'system'>): string {
  if (system === 'win32') return join(absolute(env.APPDATA) ?? join(homeOf(env), 'AppData', 'Roaming'), 'storey')
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(homeOf(env), '.config'), 'storey')
}

function homeOf(env: Environment['env']): string {
  const home = absolute(env.HOME) ?? absolute(env.USERPROFILE) ?? absolute(homedir()) ?? absolute(homeOfAccount())
  if (home !== undefined) return home
  throw new CliError('This account has no home folder for the configuration of svc.', {
    code: 'NO_HOME',
    next: 'Set XDG_CONFIG_HOME to a folder of yours, or use SVC_API_TOKEN with an API key.',
  })
}

/** The home folder of the account, regardless of the environment. */
function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}

const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined)

export async function makeConfigFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700).catch((error) => {
    throw storeUnusable(folder, error)
  })
}
