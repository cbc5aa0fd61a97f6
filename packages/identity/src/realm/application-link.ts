import type { Client, Provider } from 'oidc-provider'
import { PORTAL_NAME } from '../clients/client-metadata.ts'
import type { Context } from './koa.ts'
import { realmPath } from './names.ts'

/** The name and the registered URL of an application. */
export interface ApplicationLink {
  name: string
  url: string
}

/**
 * The link from an error page back to the application that the request names. The URL is always a registered one, so
 * that a request cannot choose it. If the request names no application with a registered URL, the developers realm
 * links to the portal, and the sandboxes realm has no link.
 */
export async function applicationLink(ctx: Context, provider: Provider): Promise<ApplicationLink | undefined> {
  const client = ctx.oidc?.client ?? (await namedClient(ctx, provider))
  const [url] = client?.postLogoutRedirectUris ?? []
  if (client && url !== undefined) return { name: client.clientName ?? client.clientId, url }
  const { origin, pathname } = new URL(provider.issuer)
  return pathname === realmPath('developers') ? { name: PORTAL_NAME, url: origin } : undefined
}

async function namedClient({ query, path }: Context, provider: Provider): Promise<Client | undefined> {
  try {
    const [, uid] = /^\/(?:interaction|auth|device)\/([\w-]+)/.exec(path) ?? []
    const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid)
    const id = interaction?.params.client_id ?? query.client_id
    return typeof id === 'string' ? await provider.Client.find(id) : undefined
  } catch {
    // The page shows the error even without this link.
    return undefined
  }
}
