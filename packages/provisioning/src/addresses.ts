/** The addresses of the control plane and its sandboxes, from PUBLIC_URL and BASE_DOMAIN. */
export interface Addresses {
  publicUrl: string
  sandboxUrl(slug: string): string
  /** What a Host header refers to. */
  resolveHost(
    host: string | undefined,
  ): { kind: 'control-plane' } | { kind: 'sandbox'; slug: string } | { kind: 'unknown' }
}

export interface AddressOptions {
  publicUrl: URL
  baseDomain: string
  /** Additional host names of the control plane, such as the loopback address in development. */
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
