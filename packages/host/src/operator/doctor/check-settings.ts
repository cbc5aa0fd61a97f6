import { ConfigError, type Environment } from '@storey/kit/config'
import { readSettings, type Settings } from '../../settings.ts'
import { sharedDomainWarning } from '../../shared-domain.ts'
import { Findings } from './finding.ts'

const MIN_DISTINCT = 10
const LIST = 'docs/operations.md lists the settings and their values'

/**
 * Checks the settings. For the checks that follow, an invalid setting counts as unset. `settings` is undefined if the
 * settings cannot be read even without the invalid ones.
 */
export function checkSettings(environment: Environment): { settings: Settings | undefined; found: Findings } {
  const found = new Findings('settings')
  let settings = tryRead(environment, found)
  if (settings) found.ok('all settings are valid')
  else settings = readWithout(invalidNames(found), environment)
  if (settings) {
    checkAddresses(settings, found)
    // In a pod a network policy decides who may connect, so the pod may listen on every address.
    const isPod = environment.KUBERNETES_SERVICE_HOST !== undefined
    checkProxies(settings, isPod, found)
    checkSecrets(settings, found)
  }
  return { settings, found }
}

function tryRead(environment: Environment, found: Findings): Settings | undefined {
  try {
    return readSettings(environment)
  } catch (err) {
    if (!(err instanceof ConfigError)) throw err
    for (const error of err.errors) found.problem(error, LIST)
    return undefined
  }
}

/** An error begins with the name of its variable. */
const invalidNames = ({ all }: Findings) => new Set(all.map(({ text }) => text.split(' ')[0]!))

function readWithout(names: ReadonlySet<string>, environment: Environment): Settings | undefined {
  const valid = Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name)))
  // Development mode needs no secret, so the other settings can be read without one. The checks that follow use the
  // mode that is set.
  const settings = tryRead({ ...valid, MODE: 'development' }, new Findings('settings'))
  return settings && { ...settings, mode: valid.MODE?.trim() === 'production' ? 'production' : 'development' }
}

const isLocalName = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(host)

function checkAddresses({ mode, host, publicUrl, baseDomain }: Settings, found: Findings): void {
  const isLocal = isLocalName(publicUrl.hostname)
  if (mode === 'development' && !isLocal)
    found.warning(
      `MODE is development, but PUBLIC_URL is ${publicUrl.origin}`,
      'set MODE=production: it has no demo account and refuses webhooks to http and loopback',
    )
  if (mode === 'production' && publicUrl.protocol === 'http:' && !isLocal)
    found.problem(
      `PUBLIC_URL is ${publicUrl.origin}: passwords, cookies and tokens cross the network unencrypted`,
      'terminate TLS in a proxy (docs/proxies.md) and set PUBLIC_URL to its https address',
    )
  if (!isLocal && isLocalName(baseDomain))
    found.problem(
      `sandboxes are at <slug>.${baseDomain}, which other machines cannot reach`,
      'set BASE_DOMAIN to a domain with a wildcard record',
    )
  if (mode === 'development' && !['127.0.0.1', '::1', 'localhost'].includes(host))
    found.warning(
      `the service in development mode listens on ${host}, not only on this machine`,
      'set MODE=production, or HOST=127.0.0.1',
    )
  const shared = isLocal ? undefined : sharedDomainWarning(publicUrl, baseDomain)
  if (shared === undefined) found.ok(`the portal is ${publicUrl.origin}, and sandboxes are at <slug>.${baseDomain}`)
  else found.warning(shared.split(':')[0]!, 'give sandboxes a registrable domain of their own (docs/operations.md)')
}

function checkProxies({ publicUrl, trustedProxies, host }: Settings, isPod: boolean, found: Findings): void {
  if (trustedProxies.some(({ bits }) => bits === 0))
    found.problem(
      'TRUSTED_PROXIES contains every address: any client can claim any address',
      'list only the addresses of the proxy',
    )
  if (publicUrl.protocol !== 'https:') return
  // The service itself has no TLS, so with an https address a proxy is in front of it.
  if (trustedProxies.length === 0)
    found.warning(
      'PUBLIC_URL is https, so a proxy is in front, but TRUSTED_PROXIES is empty: all clients share the address and the limits of the proxy',
      'set TRUSTED_PROXIES to the address from which the proxy connects',
    )
  else found.ok(`trusted addresses or ranges of proxies: ${trustedProxies.length}`)
  if (!isPod && (host === '0.0.0.0' || host === '::'))
    found.warning(
      `the service listens on every address (HOST is ${host}), and has no TLS of its own`,
      'let a firewall admit only the proxy to PORT and MQTT_PORT, or set HOST',
    )
}

function checkSecrets({ mode, masterSecret, rateLimitPerMinute }: Settings, found: Findings): void {
  if (masterSecret !== undefined && new Set(masterSecret).size < MIN_DISTINCT)
    found.problem(
      `MASTER_SECRET has fewer than ${MIN_DISTINCT} different characters`,
      'for a new installation use 32 random bytes: openssl rand -hex 32; the data of this installation cannot be read with another secret',
    )
  if (mode === 'production' && rateLimitPerMinute === 0)
    found.warning('RATE_LIMIT_PER_MINUTE is 0: callers are not limited', 'set it, unless a proxy limits them')
}
