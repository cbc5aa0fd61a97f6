import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Log } from '@storey/kit/log'
import { PORTAL_FOLDER } from '@storey/portal'
import type { WebFolders } from '@storey/provisioning'
import { REFERENCE_FOLDER } from '@storey/reference'
import { SHELL_FOLDER } from '@storey/shell'

/** The folders of the built web apps; undefined if one of them is not built. The APIs work without them. */
export function webFolders(log: Log): WebFolders | undefined {
  const folders = {
    portal: fileURLToPath(PORTAL_FOLDER),
    shell: fileURLToPath(SHELL_FOLDER),
    reference: fileURLToPath(REFERENCE_FOLDER),
  }
  if (Object.values(folders).every((folder) => existsSync(folder))) return folders
  log.warn('a web app is not built, serving no web apps: run npm run build')
  return undefined
}
