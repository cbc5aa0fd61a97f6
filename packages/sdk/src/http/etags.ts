const tags = new WeakMap<object, string>()

/**
 * The `ETag` of a record that a client has read or written, for `ifMatch`. Undefined if the response had none: records
 * of a list have no ETag, and neither has a copy of a record.
 *
 * @stable
 */
export function etagOf(record: object): string | undefined {
  return tags.get(record)
}

/**
 * Gives a copy of a record the `ETag` of the original, for `ifMatch`.
 *
 * @stable
 */
export function copyEtag(record: object, copy: object): void {
  rememberTag(copy, etagOf(record) ?? null)
}

export function rememberTag(body: unknown, etag: string | null): void {
  if (etag !== null && typeof body === 'object' && body !== null) tags.set(body, etag)
}

/** The value of `If-Match`: the given tag, or the tag of the record. */
export function tagFor(ifMatch: string | object): string {
  if (typeof ifMatch === 'string') return ifMatch
  const tag = etagOf(ifMatch)
  if (tag === undefined) throw new TypeError('ifMatch has no ETag: pass a record that a client has read, or a tag')
  return tag
}
