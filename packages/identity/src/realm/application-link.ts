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
 * The link back to the application from a final page. The request names the application, and its URL is always the
 * registered one, so that a link cannot redirect elsewhere. If there is no registered URL, the link leads to the portal
 * in the developers realm, and is undefined in the sandboxes realm.
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
    // The page shows an error anyway, with or without this link.
    return undefined
  }
}
