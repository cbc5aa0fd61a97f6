import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  folder: string
  /** Makes the disk nearly full, or large again. */
  resize(size: '600m' | '4g'): void
  remove(): void
}

/** Mounts a disk whose size can be changed. Returns undefined if this process has no right to mount. */
export function mountSmallDisk(): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'storey-disk-'))
  const mount = (...args: string[]) => spawnSync('mount', [...args, folder]).status === 0
  if (!mount('-t', 'tmpfs', '-o', 'size=4g,mode=755', 'tmpfs')) {
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    folder,
    resize(size) {
      if (!mount('-o', `remount,size=${size}`)) throw new Error('the disk could not be resized')
    },
    remove() {
      spawnSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}
