/** Quotes a value for a POSIX shell, unless it has only characters that are not special. */
export function quotedForSh(value: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
