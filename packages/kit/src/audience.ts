/**
 * Whom the tokens of a realm must be for. `required` is in `aud`, letter by letter. Without it, as with a provider of
 * one's own that names clients or nobody there, a token is refused only when it says that it is for other web
 * addresses: every audience is one, and none of them on an origin of `own`.
 */
export type Audience = { required: string } | { own: readonly string[] }

export function checkAudience(aud: string | string[] | undefined, audience: Audience): void {
  const all = [aud ?? []].flat()
  if ('required' in audience) {
    if (!all.includes(audience.required)) throw new Error(`the token is not for ${audience.required}`)
    return
  }
  const origins = new Set(audience.own.map(originOf))
  const isElsewhere = (one: unknown) => originOf(one) !== undefined && !origins.has(originOf(one))
  if (all.length > 0 && all.every(isElsewhere)) throw new Error('the token is for another resource')
}

/** The origin of a web address; undefined for anything else, such as the name of a client. */
function originOf(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined
}
