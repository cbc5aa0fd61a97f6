/** A JSON pointer (RFC 6901) to a field, by the names on the way to it. */
export const pointerTo = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
