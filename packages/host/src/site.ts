/** Endings under which strangers register names, beyond those of one label. */
const SECOND_LEVEL = /^(ac|co|com|edu|gov|mil|net|or|org)\.[a-z]{2}$/

/**
 * The part of a host name that somebody registered, as well as it can be told without a list of all endings: the last
 * two labels, or three behind endings such as co.uk. An address and a single label are their own.
 */
export function registrableDomain(host: string): string {
  if (/^\[|^[\d.]+$/.test(host)) return host
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  const ending = labels.slice(-2).join('.')
  return SECOND_LEVEL.test(ending) ? labels.slice(-3).join('.') : ending
}

/** What to tell an operator whose sandboxes share a site with the portal; undefined when they do not. */
export function siteWarning(publicUrl: URL, baseDomain: string): string | undefined {
  const domain = registrableDomain(baseDomain)
  if (registrableDomain(publicUrl.hostname) !== domain) return undefined
  return `PUBLIC_URL and BASE_DOMAIN share the domain ${domain}: give sandboxes a registrable domain of their own, so that pages on them are another site to browsers than the portal`
}
