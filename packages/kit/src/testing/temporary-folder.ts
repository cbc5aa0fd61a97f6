import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

/** A new folder for a test. It is removed when the test file ends or, outside of test files, when the process exits. */
export function temporaryFolder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `${name}-`))
  if (folders.size === 0) process.once('exit', removeTemporaryFolders)
  folders.add(path)
  return path
}

export function removeTemporaryFolders(): void {
  process.off('exit', removeTemporaryFolders)
  for (const path of folders) removeTemporaryFolder(path)
}

export function removeTemporaryFolder(path: string): void {
  folders.delete(path)
  makeWritable(path)
  // A process that has just ended can keep its files open for a moment.
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/**
 * Makes the folders in this folder writable: a test may have set them read-only, and then only root could remove what
 * is in them. The recursive `readdirSync` is not used, because it follows links, and these can lead out of the folder.
 */
function makeWritable(path: string): void {
  if (!existsSync(path)) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const folder = join(path, entry.name)
    chmodSync(folder, 0o700)
    makeWritable(folder)
  }
}
