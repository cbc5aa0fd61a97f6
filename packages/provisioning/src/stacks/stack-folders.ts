import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What stacks keep on disk: a folder each, named by the sandbox. */
export function createStackFolders(root: string) {
  const folderOf = (sandboxId: string) => join(root, sandboxId)
  return {
    async make(sandboxId: string): Promise<string> {
      const folder = folderOf(sandboxId)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    removeFiles: (sandboxId: string): Promise<void> => rm(folderOf(sandboxId), { recursive: true, force: true }),
    listFiles: async (): Promise<string[]> => await readdir(root).catch(() => []),
  }
}
