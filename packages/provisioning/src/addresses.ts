/** The addresses of the control plane and its sandboxes, from PUBLIC_URL and BASE_DOMAIN. */
export interface Addresses {
  publicUrl: string
  sandboxUrl(slug: string): string
  /** The address of the sandbox's API below a path of the control plane; null when path addresses are off. */
  pathUrl(slug: string): string | null
  /** What a Host header refers to. */
  resolveHost(host: string | undefined): Host
}

export type Host =
  /** `isAlias`: the host is an alias whose pages are redirected to the public address. */
  | { kind: 'control-plane'; isAlias: boolean }
  | { kind: 'sandbox'; slug: string }
  /** `isMachine`: the host is a name of this machine whose pages are redirected to the public address. */
  | { kind: 'unknown'; isMachine: boolean }

export interface AddressOptions {
  publicUrl: URL
  baseDomain: string
  /** Additional host names of the control plane, such as the loopback address in development. */
  aliases: readonly string[]
  /**
   * Names and addresses of this machine. If the host of the public address is `localhost`, pages at these names and
   * addresses are redirected to the public address.
   */
  machineNames?: readonly string[]
  /** Whether sandboxes are also served below `/s/<slug>`. */
  hasPathAddresses?: boolean
}

export function createAddresses(options: AddressOptions): Addresses {
  const { publicUrl, baseDomain, aliases, machineNames = [], hasPathAddresses = false } = options
  const port = publicUrl.port === '' ? '' : `:${publicUrl.port}`
  const aliasNames = new Set(aliases)
  // Redirects are only for `localhost`. With any other public address, a proxy in front of the service may send an
  // alias or a name of this machine as the host, and a redirect would lead back to the proxy, without end.
  const hasRedirects = publicUrl.hostname === 'localhost'
  const machine = new Set(machineNames.map((name) => name.toLowerCase()))
  const suffix = `.${baseDomain}`
  return {
    publicUrl: publicUrl.origin,
    sandboxUrl: (slug) => `${publicUrl.protocol}//${slug}${suffix}${port}`,
    pathUrl: (slug) => (hasPathAddresses ? `${publicUrl.origin}/s/${slug}` : null),
    resolveHost(host) {
      const name = (host ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
      if (name === publicUrl.hostname) return { kind: 'control-plane', isAlias: false }
      if (aliasNames.has(name)) return { kind: 'control-plane', isAlias: hasRedirects }
      const slug = name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
      if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(slug)) return { kind: 'sandbox', slug }
      return { kind: 'unknown', isMachine: hasRedirects && machine.has(name) }
    },
  }
}
