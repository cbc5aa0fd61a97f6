import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StackUsers } from './stack-users.ts'

/** The folders of stacks, one for each sandbox. */
export function createStackFolders(root: string, users?: Pick<StackUsers, 'own'>) {
  const folderOf = (sandboxId: string) => join(root, sandboxId)
  return {
    async make(sandboxId: string): Promise<string> {
      const folder = folderOf(sandboxId)
      await mkdir(root, { recursive: true, mode: 0o711 })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await users?.own(folder, sandboxId)
      return folder
    },
    removeFiles: (sandboxId: string): Promise<void> => rm(folderOf(sandboxId), { recursive: true, force: true }),
    /** The ids of the sandboxes that have a folder. */
    listFiles: async (): Promise<string[]> => await readdir(root).catch(() => []),
  }
}
