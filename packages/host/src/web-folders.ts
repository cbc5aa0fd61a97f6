import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Log } from '@storey/kit/log'
import { PORTAL_FOLDER } from '@storey/portal'
import type { WebFolders } from '@storey/provisioning'
import { SHELL_FOLDER } from '@storey/shell'

/** The built web apps. The APIs work without them. */
export function webFolders(log: Log): WebFolders | undefined {
  const folders = { portal: fileURLToPath(PORTAL_FOLDER), shell: fileURLToPath(SHELL_FOLDER) }
  if (Object.values(folders).every((folder) => existsSync(folder))) return folders
  log.warn('The portal and the shell are not built (npm run build): there are no pages')
  return undefined
}
