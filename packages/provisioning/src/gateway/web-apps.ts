import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type ClaimNames,
  MODULE_ORIGINS,
  type PortalConfig,
  ROLES_CLAIM,
  type ShellConfig,
  shellClientId,
  VERSION,
} from '@storey/contract'
import { contentSecurityPolicy, openWebApp, openWebFiles } from '@storey/kit/web'
import type { Addresses } from '../addresses.ts'
import type { SandboxRow } from '../features/sandboxes/index.ts'
import type { SignInSettings } from '../sign-in-settings.ts'
import { createProviderOrigins } from './provider-origins.ts'

/** Folders with the built apps. */
export interface WebFolders {
  portal: string
  shell: string
  /** The viewer of the API reference, at `/docs` of the portal and of each sandbox. */
  reference: string
}

export interface WebAppsOptions {
  folders: WebFolders
  addresses: Addresses
  developersIssuer: string | undefined
  sandboxesIssuer: string | null
  signIn: SignInSettings
  /** Claims that have other names at an external provider. */
  claims: { developers?: ClaimNames | undefined; sandboxes?: ClaimNames | undefined }
  moduleRoute: 'on' | 'off'
  maxActiveSandboxes: number
}

/**
 * Serves the pages of the web apps. They come from the gateway and not from a stack, so that a page loads immediately
 * while its stack starts.
 */
export interface WebApps {
  /** Answers a request for the portal and returns true. Returns false for other requests. */
  portal(request: IncomingMessage, response: ServerResponse): boolean
  shell(request: IncomingMessage, response: ServerResponse, sandbox: SandboxRow): boolean
}

export function openWebApps(options: WebAppsOptions): WebApps {
  const { folders, addresses, sandboxesIssuer, moduleRoute, signIn, claims } = options
  const { publicUrl } = addresses
  const developersIssuer = options.developersIssuer ?? null
  const portal = openWebApp(folders.portal)
  const shell = openWebApp(folders.shell)
  const reference = openWebFiles(folders.reference, { prefix: '/docs', entry: 'reference.js' })
  const portalConfig: PortalConfig = {
    version: VERSION,
    publicUrl,
    issuer: developersIssuer,
    clientId: signIn.portalClientId,
    ...signIn.developers,
    cliClientId: signIn.cliClientId,
    organizationClaim: claims.developers?.org_id ?? 'org_id',
    sandboxesIssuer,
    maxActiveSandboxes: options.maxActiveSandboxes,
  }
  const { origin } = new URL(publicUrl)
  const developersOrigins = createProviderOrigins(developersIssuer, origin)
  const sandboxesOrigins = createProviderOrigins(sandboxesIssuer, origin)
  // The portal also reads the discovery document of the sandboxes realm, to show the token endpoint of service
  // accounts.
  const portalPolicy = () =>
    contentSecurityPolicy({ connect: [...new Set([...developersOrigins(), ...sandboxesOrigins()])] })

  const shellConfig = (row: SandboxRow): ShellConfig => {
    const { id, slug, name, tenantId, buildingId, status, migrationTarget, suspendedAt } = row
    const hasStack = status === 'ready' && migrationTarget === null && suspendedAt === null
    return {
      version: VERSION,
      apiUrl: addresses.sandboxUrl(slug),
      publicUrl,
      sandboxId: id,
      sandboxSlug: slug,
      sandboxName: name,
      organizationId: tenantId,
      status,
      isMigrating: status === 'ready' && migrationTarget !== null,
      isSuspended: suspendedAt !== null,
      buildingId: hasStack ? buildingId : null,
      issuer: sandboxesIssuer,
      clientId: signIn.shellClientId ?? shellClientId(slug),
      ...signIn.sandboxes,
      rolesClaim: claims.sandboxes?.roles ?? ROLES_CLAIM,
      emailClaim: claims.sandboxes?.email ?? 'email',
      subjectClaim: claims.sandboxes?.sub ?? 'sub',
      moduleRoute,
    }
  }
  const shellPolicy = ({ slug }: SandboxRow) =>
    contentSecurityPolicy({
      connect: [...sandboxesOrigins(), addresses.sandboxUrl(slug).replace(/^http/, 'ws')],
      modules: moduleRoute === 'on' ? MODULE_ORIGINS : [],
    })

  return {
    portal: (request, response) =>
      reference.serve(request, response) ||
      portal.serve(request, response, () => ({ config: { ...portalConfig }, policy: portalPolicy() })),
    shell: (request, response, sandbox) =>
      reference.serve(request, response) ||
      shell.serve(request, response, () => ({ config: { ...shellConfig(sandbox) }, policy: shellPolicy(sandbox) })),
  }
}
