import { statfsSync } from 'node:fs'

const MB = 1024 * 1024
/** The server writes its write-ahead log in files of this size, and needs one to start. */
const NEEDED_BYTES = 16 * MB

/**
 * A sentence about the disk of the folder if it is full; an empty text if it is not. The server itself often cannot
 * report a full disk, because its log is on the same disk.
 */
export function fullDisk(folder: string, neededBytes = NEEDED_BYTES): string {
  const { bavail, bsize, ffree, files } = statfsSync(folder)
  const free = bavail * bsize
  if (free < neededBytes) return `the disk has only ${Math.floor(free / MB)} MB of free space. Free some space. `
  if (files > 0 && ffree === 0) return 'the disk has no free inodes. Remove some files. '
  return ''
}
