/** Where the control plane and its sandboxes are found, from the two settings that say so. */
export interface Addresses {
  publicUrl: string
  sandboxUrl(slug: string): string
  /** Which door a Host header names. */
  resolveHost(
    host: string | undefined,
  ): { kind: 'control-plane' } | { kind: 'sandbox'; slug: string } | { kind: 'unknown' }
}

export interface AddressOptions {
  publicUrl: URL
  baseDomain: string
  /** Further names of the control plane, such as the loopback address on a developer's machine. */
  aliases: readonly string[]
}

export function createAddresses({ publicUrl, baseDomain, aliases }: AddressOptions): Addresses {
  const port = publicUrl.port === '' ? '' : `:${publicUrl.port}`
  const own = new Set([publicUrl.hostname, ...aliases])
  const suffix = `.${baseDomain}`
  return {
    publicUrl: publicUrl.origin,
    sandboxUrl: (slug) => `${publicUrl.protocol}//${slug}${suffix}${port}`,
    resolveHost(host) {
      const name = (host ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
      if (own.has(name)) return { kind: 'control-plane' }
      const slug = name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
      return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(slug) ? { kind: 'sandbox', slug } : { kind: 'unknown' }
    },
  }
}
