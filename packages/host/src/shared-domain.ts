/** The most common public suffixes with two labels. */
const SECOND_LEVEL = /^(ac|co|com|edu|gov|mil|net|or|org)\.[a-z]{2}$/

/**
 * The registrable domain of a host, guessed without the public suffix list: the last two labels, or three for suffixes
 * such as co.uk. An IP address or a single label is returned as it is.
 */
export function registrableDomain(host: string): string {
  if (/^\[|^[\d.]+$/.test(host)) return host
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  const ending = labels.slice(-2).join('.')
  return SECOND_LEVEL.test(ending) ? labels.slice(-3).join('.') : ending
}

/** A warning if sandboxes are on the same site as the portal; undefined otherwise. */
export function sharedDomainWarning(publicUrl: URL, baseDomain: string): string | undefined {
  const domain = registrableDomain(baseDomain)
  if (registrableDomain(publicUrl.hostname) !== domain) return undefined
  return `PUBLIC_URL and BASE_DOMAIN share the domain ${domain}: use a separate registrable domain for sandboxes, so that browsers treat their pages and the portal as different sites`
}
