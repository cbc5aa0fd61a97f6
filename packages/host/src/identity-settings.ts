import {
  CLI_CLIENT_ID,
  type ClaimNames,
  DEFAULT_SCOPE,
  PORTAL_CLIENT_ID,
  RENAMED_CLAIMS,
  SHARED_SHELL_CLIENT_ID,
} from '@storey/contract'
import type { SettingsReader } from '@storey/kit/config'

/** The external realms. If an issuer is absent, that realm is the embedded one. */
export interface IdentitySettings {
  developersIssuer: string | undefined
  sandboxesIssuer: string | undefined
  /**
   * The required `aud` of tokens of an external issuer. If absent, a token is refused only if all its audiences are
   * URLs of other services.
   */
  developersAudience: string | undefined
  sandboxesAudience: string | undefined
  /** The scopes that the apps and the tool request. */
  developersScope: string
  sandboxesScope: string
  /** Claims that have other names at an external issuer. */
  developersClaims: ClaimNames
  sandboxesClaims: ClaimNames
  /** The ids of the clients at an external provider. */
  portalClientId: string
  cliClientId: string
  shellClientId: string
  /** How Storey manages the accounts of an external sandboxes realm; absent if Storey does not manage the accounts. */
  identityAdmin: IdentityAdminSettings | undefined
}

export interface IdentityAdminSettings {
  kind: 'keycloak'
  url: string
  clientId: string
  clientSecret: string
}

type Realm = 'DEVELOPERS' | 'SANDBOXES'

export function readIdentitySettings(read: SettingsReader): IdentitySettings {
  const portalClientId = ofExternal(read, 'PORTAL_CLIENT_ID', 'DEVELOPERS') ?? PORTAL_CLIENT_ID
  const cliClientId = ofExternal(read, 'CLI_CLIENT_ID', 'DEVELOPERS') ?? CLI_CLIENT_ID
  // Tokens of the portal may create API keys, those of the tool may not.
  if (cliClientId === portalClientId) read.addError('CLI_CLIENT_ID', 'must differ from PORTAL_CLIENT_ID')
  return {
    developersIssuer: issuer(read, 'DEVELOPERS_ISSUER'),
    sandboxesIssuer: issuer(read, 'SANDBOXES_ISSUER'),
    developersAudience: ofExternal(read, 'DEVELOPERS_AUDIENCE', 'DEVELOPERS'),
    sandboxesAudience: ofExternal(read, 'SANDBOXES_AUDIENCE', 'SANDBOXES'),
    developersScope: scope(read, 'DEVELOPERS'),
    sandboxesScope: scope(read, 'SANDBOXES'),
    developersClaims: claims(read, 'DEVELOPERS', RENAMED_CLAIMS.developers),
    sandboxesClaims: claims(read, 'SANDBOXES', RENAMED_CLAIMS.sandboxes),
    portalClientId,
    cliClientId,
    shellClientId: ofExternal(read, 'SHELL_CLIENT_ID', 'SANDBOXES') ?? SHARED_SHELL_CLIENT_ID,
    identityAdmin: identityAdmin(read),
  }
}

/** Issuers are compared as texts, so the text is kept: `URL` would add a slash to an issuer without a path. */
function issuer(read: SettingsReader, name: string): string | undefined {
  const url = read.url(name, ['http:', 'https:'])
  if (url === undefined) return undefined
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    read.addError(name, 'must have no credentials, query or fragment')
  return read.text(name)
}

/** Reads a setting of an external realm. Setting it for an embedded realm, which has a fixed value, is an error. */
function ofExternal(read: SettingsReader, name: string, realm: Realm): string | undefined {
  const text = read.text(name)
  if (text !== undefined && read.text(`${realm}_ISSUER`) === undefined) {
    read.addError(name, `needs an external provider: set ${realm}_ISSUER too`)
  }
  return text
}

function scope(read: SettingsReader, realm: Realm): string {
  const name = `${realm}_SCOPE`
  const scopes = (ofExternal(read, name, realm) ?? DEFAULT_SCOPE).split(/\s+/)
  if (!scopes.includes('openid')) read.addError(name, 'must contain openid', scopes.join(' '))
  return scopes.join(' ')
}

/** A list such as `tenant_id=https://example.com/tenant_id, roles=groups`. */
function claims(read: SettingsReader, realm: Realm, known: readonly string[]): ClaimNames {
  const name = `${realm}_CLAIMS`
  ofExternal(read, name, realm)
  return Object.fromEntries(
    read.list(name).flatMap((text) => {
      const [, claim = '', from = ''] = /^([^=]*)=(.*)$/s.exec(text)?.map((part) => part.trim()) ?? []
      if (known.includes(claim) && from !== '') return [[claim, from]]
      read.addError(name, `must be a list of <name>=<claim> with the names ${known.join(', ')}`, text)
      return []
    }),
  )
}

/** Reads the client with which Storey manages the accounts of an external sandboxes realm. */
function identityAdmin(read: SettingsReader): IdentityAdminSettings | undefined {
  const kind = read.choice('IDENTITY_ADMIN', ['off', 'keycloak'], 'off')
  const clientId = read.text('IDENTITY_ADMIN_CLIENT_ID') ?? 'svc-admin'
  const clientSecret = read.text('IDENTITY_ADMIN_CLIENT_SECRET')
  const given = read.url('IDENTITY_ADMIN_URL', ['http:', 'https:'])
  if (kind === 'off') return undefined
  const realm = read.text('SANDBOXES_ISSUER')
  if (realm === undefined) read.addError('IDENTITY_ADMIN', 'needs an external provider: set SANDBOXES_ISSUER too')
  if (clientSecret === undefined) read.addError('IDENTITY_ADMIN_CLIENT_SECRET', 'is required with IDENTITY_ADMIN')
  // Keycloak administers the realm /realms/<name> at /admin/realms/<name>.
  const url = given?.href ?? realm?.replace(/\/realms\/([^/]+)\/?$/, '/admin/realms/$1')
  if (url !== undefined && url === realm)
    read.addError(
      'IDENTITY_ADMIN_URL',
      'must be the address of the admin API of the realm, unless SANDBOXES_ISSUER ends with /realms/<name>',
    )
  return { kind, url: (url ?? '').replace(/\/$/, ''), clientId, clientSecret: clientSecret ?? '' }
}
