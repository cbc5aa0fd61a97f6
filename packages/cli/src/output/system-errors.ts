/** Texts for system errors of files and streams, to follow "cannot be written: ", "cannot be read: " and the like. */
const WORDS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOENT: 'no such file or folder',
  EEXIST: 'it already exists',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBADF: 'it is closed',
  EPIPE: 'the pipe is closed',
  EIO: 'input/output error',
  ENXIO: 'no such device',
  ENODEV: 'no such device',
  EINVAL: 'invalid argument',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  ENOEXEC: 'it is not a program',
  ERR_INVALID_ARG_VALUE: 'the name contains invalid characters',
}

export function describeSystemError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') return error instanceof Error ? error.message : String(error)
  return WORDS[code] ?? `system error ${code}`
}

/** Whether the error comes from the operating system, and not from a defect of the tool. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof (error as NodeJS.ErrnoException).code === 'string'
}
