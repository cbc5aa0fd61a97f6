import type { IncomingMessage, ServerResponse } from 'node:http'
import { problems, SIGN_IN_CALLBACK } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import { directAddresses } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { ClockCheck } from '@storey/kit/clock-check'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { findAccount } from './accounts/accounts.store.ts'
import {
  createDevelopers,
  createTenantAccounts,
  type Developers,
  type RecordOwner,
  type TenantAccounts,
} from './accounts/accounts.ts'
import { createPasswords } from './accounts/passwords.ts'
import { createTenantPeople, type TenantPeople } from './accounts/tenant-people.ts'
import {
  type CheckTenant,
  createServiceAccounts,
  createShellClients,
  type ServiceAccounts,
  type ShellClients,
} from './clients/clients.ts'
import { createSigningKeys } from './keys/signing-keys.ts'
import type { DemoHint } from './pages/interaction-pages.ts'
import { pages } from './pages/pages.ts'
import { acrOf } from './realm/claims.ts'
import { deleteExpired } from './realm/models.store.ts'
import type { RealmName } from './realm/names.ts'
import { createOwnerTickets } from './realm/owner-sessions.ts'
import { issuePortalToken } from './realm/portal-token.ts'
import { openRealm } from './realm/realm.ts'
import { removeTenant } from './remove-tenant.ts'
import { createAttempts } from './sign-in-attempts/attempts.ts'
import { createKnownDevices } from './sign-in-attempts/known-devices.ts'
import { createSlowDown } from './sign-in-attempts/slow-down.ts'
import { createVault } from './vault.ts'

export interface IdentityOptions {
  /** The control database, with the identity migrations applied. */
  database: Database
  /** The public origin of the realms, such as http://localhost:4000. */
  publicUrl: string
  masterSecret: string
  clock: Clock
  /**
   * The maintenance loop rotates keys and deletes expired rows only while this check allows removals. Absent: always.
   * `createIdentity` itself rotates keys without this check.
   */
  clockCheck?: ClockCheck
  log: Log
  /** The origin of a sandbox's shell, by its client id. */
  shellOriginOf(clientId: string): string
  /** The redirect URIs of the portal, as paths on the public origin. */
  portalRedirectPaths?: readonly string[]
  /** The client address of a request, even behind a trusted proxy. */
  addressOf?(request: IncomingMessage): string
  /** The longest wait of a sign-in while its account is attacked from many addresses: see slow-down.ts. */
  slowDownMs?: number
  /** The demo developer: the sign-in page of the developers realm shows where the password is. */
  demo?: DemoHint
  /** The cost of a password check: scrypt's N. */
  passwordWork?: number
}

export interface Identity {
  issuers: { developers: string; sandboxes: string }
  /** The `aud` of the realms' access tokens. */
  audiences: { developers: string; sandboxes: string }
  /** Answers a request for a realm and returns true. Returns false for other requests. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  developers: Developers
  /** The accounts of sandboxes. The tenant id of a sandbox is the id of its own organization (`org_…`). */
  accounts: TenantAccounts
  /** The same accounts, as the administrators inside the tenant manage them. */
  people: TenantPeople
  serviceAccounts: ServiceAccounts
  shellClients: ShellClients
  /** Removes every account, client, session and grant of a tenant. */
  removeTenant(tenantId: string): Promise<void>
  /** An access token for a developer, like one of a portal session. */
  portalToken(developerId: string): Promise<string>
  /**
   * A link that signs the owner of a sandbox in to its shell as an administrator. It can be opened once, within a
   * minute.
   */
  ownerSession(owner: {
    developerId: string
    tenantId: string
    clientId: string
    /** The path of the shell's page that opens. */
    path?: string
    /** Records the change if this call creates or changes the owner's account. */
    record?: RecordOwner
    check?: CheckTenant
  }): Promise<OwnerLink>
  /** Rotates keys and deletes expired rows. A loop calls this every minute, while the clock check allows removals. */
  maintain(): Promise<void>
  close(): Promise<void>
}

export interface OwnerLink {
  url: string
  expiresAt: Date
  /** The account whose earlier tokens must be refused, because somebody else may have them. */
  revokedAccountId?: string
}

const MAINTENANCE_MS = 60_000
const PORTAL_REDIRECT_PATHS = [SIGN_IN_CALLBACK, '/portal/callback']

export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { database, clock, log, masterSecret, portalRedirectPaths = PORTAL_REDIRECT_PATHS } = options
  const publicUrl = new URL(options.publicUrl).origin
  const addressOf = options.addressOf ?? directAddresses.clientAddress
  const vault = createVault(masterSecret)
  const passwords = createPasswords(options.passwordWork)
  const attempts = createAttempts({ database, vault, clock })
  const slowDown = createSlowDown(options.slowDownMs)
  const knownDevices = createKnownDevices(vault)
  const signingKeys = createSigningKeys({ database, vault, clock })
  const ownerTickets = createOwnerTickets({ database, vault, clock, publicUrl })
  const open = (realm: RealmName) =>
    openRealm({
      ownerTickets,
      realm,
      database,
      publicUrl,
      clock,
      log,
      portalRedirectPaths,
      shellOriginOf: options.shellOriginOf,
      addressOf,
      vault,
      passwords,
      attempts,
      slowDown,
      knownDevices,
      ...(realm === 'developers' && options.demo ? { demo: options.demo } : {}),
      signingKeys,
      pages,
    })
  const developers = await open('developers')
  const sandboxes = await open('sandboxes')

  async function maintain(): Promise<void> {
    await developers.refreshKeys()
    await sandboxes.refreshKeys()
    await attempts.sweep()
    while ((await deleteExpired(database)) > 0);
  }
  async function maintainIfAllowed(): Promise<void> {
    const time = await options.clockCheck?.compare()
    if (!options.clockCheck || time?.mayRemove) await maintain()
  }
  const maintenance = createLoop({
    name: 'identity-maintenance',
    log,
    everyMs: MAINTENANCE_MS,
    retry: { firstMs: MAINTENANCE_MS, maxMs: MAINTENANCE_MS },
    run: maintainIfAllowed,
  })
  maintenance.start(MAINTENANCE_MS)

  const accounts = createTenantAccounts({ database, passwords, clock })
  return {
    issuers: { developers: developers.issuer, sandboxes: sandboxes.issuer },
    audiences: { developers: developers.audience, sandboxes: sandboxes.audience },
    handle: (request, response) => developers.handle(request, response) || sandboxes.handle(request, response),
    developers: createDevelopers({ database, passwords, clock }),
    accounts,
    people: createTenantPeople({ database, passwords, clock }),
    serviceAccounts: createServiceAccounts({ database, clock }),
    shellClients: createShellClients({ database, clock }),
    removeTenant: (tenantId) => removeTenant(database, tenantId),
    async portalToken(developerId) {
      const developer = await findAccount(database, 'developers', developerId)
      if (!developer) throw problems.notFound('developer')
      if (developer.disabledAt != null) throw problems.conflict('account', `The account ${developer.email} is disabled`)
      return await issuePortalToken(developers.provider(), { publicUrl, developerId })
    },
    async ownerSession({ developerId, tenantId, clientId, path = '/', record, check }) {
      const developer = await findAccount(database, 'developers', developerId)
      // With an external developers realm, the email address of the owner is not known here.
      const email = developer?.email ?? `owner@${new URL(options.shellOriginOf(clientId)).hostname}`
      const owner = { id: developerId, email }
      const account = await accounts.ensureOwner(tenantId, owner, record)
      const { id: accountId, isTakenOver } = account
      const link = await ownerTickets.issue({ accountId, acr: acrOf(account), clientId, path }, check)
      return isTakenOver ? { ...link, revokedAccountId: accountId } : link
    },
    maintain,
    close: maintenance.stop,
  }
}
