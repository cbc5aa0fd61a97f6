/** What the system says of files and streams, in words that go after "it cannot be written: ". */
const WORDS: Record<string, string> = {
  EACCES: 'you may not do that there',
  EPERM: 'you may not do that there',
  EROFS: 'nothing can be written there',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOENT: 'there is no such place',
  EEXIST: 'something is there already',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left for you',
  EFBIG: 'it would be too large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links there lead in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBADF: 'it is closed',
  EPIPE: 'nobody reads it any more',
  EIO: 'the device failed',
  ENXIO: 'there is no such device',
  ENODEV: 'there is no such device',
  EINVAL: 'the system does not take that',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  ENOEXEC: 'it is no program',
  ERR_INVALID_ARG_VALUE: 'the name has characters that no file can have',
}

export function systemWords(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') return error instanceof Error ? error.message : String(error)
  return WORDS[code] ?? `the system says ${code}`
}

/** Whether the system refused something, as opposed to a fault of the tool. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof (error as NodeJS.ErrnoException).code === 'string'
}
