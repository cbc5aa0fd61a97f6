import {
  bearer,
  createPlatformClient,
  createProvisioningClient,
  type PlatformClient,
  type ProvisioningClient,
} from '@storey/sdk'
import type { Context } from './context.ts'

/** A fetch function for requests to other servers, such as a realm. It also resolves `*.localhost`. */
export { connect } from '@storey/sdk'

/** Short enough that the tool reports within ten seconds that a service is down. */
const TIMEOUT_S = 6
/** A call follows Retry-After for up to 20 seconds in total. A longer wait is reported as an error. */
const RETRY = { waitLimitSeconds: 20, attempts: 0 }

export async function openProvisioning(context: Context, timeoutSeconds = TIMEOUT_S): Promise<ProvisioningClient> {
  const credential = await context.credential()
  return createProvisioningClient({ url: context.service().url, credential, timeoutSeconds, retry: RETRY })
}

export function openPlatform(apiUrl: string, token: string): PlatformClient {
  return createPlatformClient({ url: apiUrl, credential: bearer(token), timeoutSeconds: 30, retry: RETRY })
}
