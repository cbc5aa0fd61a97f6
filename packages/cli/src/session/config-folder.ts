import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../environment.ts'
import { CliError } from '../errors.ts'
import { makeFolder } from '../make-folder.ts'
import { storeUnusable } from './store-errors.ts'

/** The tool's configuration folder: private to the user, and never relative to the working directory. */
export function configFolder({ env, system }: Pick<Environment, 'env' | 'system'>): string {
  if (system === 'win32')
    return join(absolute(env.APPDATA) ?? join(homeOf(env, 'APPDATA'), 'AppData', 'Roaming'), 'storey')
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(homeOf(env, 'XDG_CONFIG_HOME'), '.config'), 'storey')
}

/** `instead` is the variable that can replace the home folder. */
function homeOf(env: Environment['env'], instead: string): string {
  const home = absolute(env.HOME) ?? absolute(env.USERPROFILE) ?? absolute(homedir()) ?? absolute(homeOfAccount())
  if (home !== undefined) return home
  throw new CliError('This account has no home folder for the configuration of svc.', {
    code: 'NO_HOME',
    next: `Set ${instead} to the absolute path of a folder of yours.`,
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
