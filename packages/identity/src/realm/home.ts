import type { Client, Provider } from 'oidc-provider'
import { PORTAL_NAME } from '../clients/client-metadata.ts'
import type { Context } from './koa.ts'
import { realmPath } from './names.ts'

/** An application's own address, as the realm has it on record. */
export interface Home {
  name: string
  address: string
}

/**
 * Where somebody goes on from a page that leads no further. The application is the one that the request names; its
 * address is never that of the request, so that nobody can be sent elsewhere. Undefined: the realm does not know it.
 */
export async function homeOf(ctx: Context, provider: Provider): Promise<Home | undefined> {
  const client = ctx.oidc?.client ?? (await namedClient(ctx, provider))
  const [address] = client?.postLogoutRedirectUris ?? []
  if (client && address !== undefined) return { name: client.clientName ?? client.clientId, address }
  const { origin, pathname } = new URL(provider.issuer)
  return pathname === realmPath('developers') ? { name: PORTAL_NAME, address: origin } : undefined
}

async function namedClient({ query, path }: Context, provider: Provider): Promise<Client | undefined> {
  try {
    const [, uid] = /^\/(?:interaction|auth|device)\/([\w-]+)/.exec(path) ?? []
    const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid)
    const id = interaction?.params.client_id ?? query.client_id
    return typeof id === 'string' ? await provider.Client.find(id) : undefined
  } catch {
    // It is about to tell a refusal: that does not depend on this.
    return undefined
  }
}
