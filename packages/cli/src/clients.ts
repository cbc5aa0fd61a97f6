import {
  bearer,
  createPlatformClient,
  createProvisioningClient,
  type PlatformClient,
  type ProvisioningClient,
} from '@storey/sdk'
import type { Context } from './context.ts'

/** For requests outside the two APIs, such as to a realm: resolves `*.localhost` too. */
export { connect } from '@storey/sdk'

/** Short enough to report a service that is down within ten seconds. */
const TIMEOUT_S = 6
/** A short Retry-After is honoured; the user does not wait for minutes. */
const RETRY = { waitLimitSeconds: 20, attempts: 0 }

export async function openProvisioning(context: Context, timeoutSeconds = TIMEOUT_S): Promise<ProvisioningClient> {
  const credential = await context.credential()
  return createProvisioningClient({ url: context.service().url, credential, timeoutSeconds, retry: RETRY })
}

export function openPlatform(apiUrl: string, token: string): PlatformClient {
  return createPlatformClient({ url: apiUrl, credential: bearer(token), timeoutSeconds: 30, retry: RETRY })
}
