/** The JSON pointer (RFC 6901) of a path. */
export const pointerTo = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
