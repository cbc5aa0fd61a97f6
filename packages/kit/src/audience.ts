/**
 * How the audience of a realm's tokens is checked. With `required`, `aud` must contain that value. `own` is for
 * external providers that put client ids or nothing into `aud`: a token is refused only if all its audiences are URLs
 * of origins that are not in `own`.
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

/** The origin of a URL; undefined for anything else, such as a client id. */
function originOf(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined
}
