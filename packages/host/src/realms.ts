import { type ClaimNames, shellClientId, shellSlug } from '@storey/contract'
import type { DemoHint, Identity } from '@storey/identity'
import type { ClientAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import { type Database, migrate, readMigrations } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import {
  createAddresses,
  createExternalDirectory,
  createKeycloakAdmin,
  type Directory,
  type SignInSettings,
} from '@storey/provisioning'
import type { IdentitySettings } from './identity-settings.ts'
import type { Settings } from './settings.ts'

/** The identity providers of developers and of sandbox users: embedded, external, or one of each. */
export interface Realms {
  developersIssuer: string
  sandboxesIssuer: string
  /** The required `aud` of tokens; undefined for an external provider without a configured audience. */
  developersAudience: string | undefined
  sandboxesAudience: string | undefined
  /** Claims that have other names at an external provider. */
  developersClaims: ClaimNames
  sandboxesClaims: ClaimNames
  signIn: SignInSettings
  /** Absent when both realms are external. */
  identity: Identity | undefined
  /** Absent if the provider of sandbox users is external and Storey may not administer it. */
  directory: Directory | undefined
}

type RealmSettings = IdentitySettings & Pick<Settings, 'publicUrl' | 'baseDomain'>

export async function openRealms(
  settings: RealmSettings,
  parts: {
    control: Database
    masterSecret: string
    clock: Clock
    clockCheck?: ClockCheck
    log: Log
    clientAddresses?: ClientAddresses
    /** The demo developer of development mode. */
    demo?: DemoHint
  },
): Promise<Realms> {
  const external = { developers: settings.developersIssuer, sandboxes: settings.sandboxesIssuer }
  const { developersClaims, sandboxesClaims } = settings
  const common = { developersClaims, sandboxesClaims, signIn: signInOf(settings) }
  if (external.developers !== undefined && external.sandboxes !== undefined) {
    return {
      ...common,
      developersIssuer: external.developers,
      sandboxesIssuer: external.sandboxes,
      developersAudience: settings.developersAudience,
      sandboxesAudience: settings.sandboxesAudience,
      identity: undefined,
      directory: externalDirectory(settings, parts),
    }
  }
  // The embedded provider is loaded only if it is needed, because it is the largest part of the service.
  const { createIdentity, IDENTITY_MIGRATIONS_TABLE, IDENTITY_MIGRATIONS } = await import('@storey/identity')
  const { control: database, clientAddresses, ...rest } = parts
  await database.session((session) =>
    migrate(session, readMigrations(IDENTITY_MIGRATIONS), {
      log: parts.log,
      migrationsTable: IDENTITY_MIGRATIONS_TABLE,
    }),
  )
  const { sandboxUrl } = createAddresses({ ...settings, aliases: [] })
  const identity = await createIdentity({
    database,
    publicUrl: settings.publicUrl.origin,
    shellOriginOf: (clientId) => sandboxUrl(shellSlug(clientId)),
    ...(clientAddresses ? { addressOf: clientAddresses.clientAddress } : {}),
    ...rest,
  })
  return {
    ...common,
    developersIssuer: external.developers ?? identity.issuers.developers,
    sandboxesIssuer: external.sandboxes ?? identity.issuers.sandboxes,
    developersAudience: external.developers === undefined ? identity.audiences.developers : settings.developersAudience,
    sandboxesAudience: external.sandboxes === undefined ? identity.audiences.sandboxes : settings.sandboxesAudience,
    identity,
    directory: external.sandboxes === undefined ? directoryOf(identity) : externalDirectory(settings, parts),
  }
}

/**
 * The settings of sign-ins. At an external provider, a sign-in may have to name the audience of the token. The audience
 * of the embedded provider is fixed, so it is null here.
 */
function signInOf(settings: IdentitySettings): SignInSettings {
  const { developersScope, sandboxesScope, developersAudience, sandboxesAudience } = settings
  return {
    portalClientId: settings.portalClientId,
    cliClientId: settings.cliClientId,
    shellClientId: settings.sandboxesIssuer === undefined ? undefined : settings.shellClientId,
    developers: { scope: developersScope, audience: developersAudience ?? null },
    sandboxes: { scope: sandboxesScope, audience: sandboxesAudience ?? null },
  }
}

function externalDirectory(
  settings: RealmSettings,
  { control, log }: { control: Database; log: Log },
): Directory | undefined {
  const { identityAdmin, sandboxesIssuer, sandboxesAudience, shellClientId } = settings
  if (identityAdmin === undefined || sandboxesIssuer === undefined) return undefined
  const { url: adminUrl, clientId, clientSecret } = identityAdmin
  const admin = createKeycloakAdmin({
    ...{ issuer: sandboxesIssuer, adminUrl, clientId, clientSecret, log },
    ...{ audience: sandboxesAudience, shellClientId },
  })
  const { sandboxUrl } = createAddresses({ ...settings, aliases: [] })
  return createExternalDirectory({ control, admin, sandboxUrl })
}

function directoryOf(identity: Identity): Directory {
  return {
    accounts: {
      create: (tenantId, account, record) => identity.accounts.create({ tenantId, ...account }, record),
      list: (tenantId) => identity.accounts.list(tenantId),
      find: async (tenantId, id) => (await identity.accounts.list(tenantId)).find((one) => one.id === id),
      remove: (tenantId, id, record) => identity.accounts.remove(tenantId, id, record),
    },
    serviceAccounts: {
      create: (tenantId, account, _record, check) => identity.serviceAccounts.create({ tenantId, ...account }, check),
      list: (tenantId) => identity.serviceAccounts.list(tenantId),
      find: async (tenantId, id) => (await identity.serviceAccounts.list(tenantId)).find((one) => one.id === id),
      remove: (tenantId, id) => identity.serviceAccounts.remove(tenantId, id),
    },
    people: identity.people,
    openTenant: ({ tenantId, slug }) => identity.shellClients.register({ tenantId, clientId: shellClientId(slug) }),
    ownerSession: ({ slug, ...owner }) => identity.ownerSession({ ...owner, clientId: shellClientId(slug) }),
    removeTenant: ({ tenantId }) => identity.removeTenant(tenantId),
  }
}
