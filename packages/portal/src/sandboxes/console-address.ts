import { type ProvisioningClient, StoreyError } from '@storey/sdk'

/**
 * The address that opens the console of a sandbox: a link that signs its owner in or, if the service creates no such
 * link, the plain address of the console. The reference is the id or the slug of the sandbox.
 */
export async function consoleAddress(
  { sandboxes }: Pick<ProvisioningClient, 'sandboxes'>,
  reference: string,
  { path, signal }: { path: string | undefined; signal: AbortSignal },
): Promise<string> {
  const sandboxId = await idOf(sandboxes, reference, signal)
  try {
    return (await sandboxes.consoleSession(sandboxId, { signal, ...(path === undefined ? {} : { path }) })).url
  } catch (error) {
    // 409: an external identity provider signs users in, the sandbox has failed, or there is no console at all.
    if (!(error instanceof StoreyError) || error.status !== 409) throw error
    const { consoleUrl } = await sandboxes.get(sandboxId, { signal })
    if (consoleUrl === null) throw error
    return new URL(path ?? '/', consoleUrl).origin === new URL(consoleUrl).origin
      ? new URL(path ?? '/', consoleUrl).href
      : consoleUrl
  }
}

/** Resolves a slug to an id, because links from the sign-in page of a sandbox contain only its slug. */
async function idOf(
  sandboxes: ProvisioningClient['sandboxes'],
  reference: string,
  signal: AbortSignal,
): Promise<string> {
  if (reference.startsWith('sbx_')) return reference
  for await (const { sandboxId, slug } of sandboxes.listAll({ signal })) if (slug === reference) return sandboxId
  return (await sandboxes.get(reference, { signal })).sandboxId
}
