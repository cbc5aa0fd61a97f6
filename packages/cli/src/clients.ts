import {
  bearer,
  createPlatformClient,
  createProvisioningClient,
  type PlatformClient,
  type ProvisioningClient,
} from '@storey/sdk'
import type { Context } from './context.ts'

/** For what is no call of the two APIs, such as a realm: finds `*.localhost` too. */
export { connect } from '@storey/sdk'

/** Short enough that a service which is down is told of within ten seconds. */
const TIMEOUT_S = 6
/** A service that asks for a little patience gets it; a person is not kept waiting for minutes. */
const RETRY = { waitLimitSeconds: 20, attempts: 0 }

export async function openProvisioning(context: Context, timeoutSeconds = TIMEOUT_S): Promise<ProvisioningClient> {
  const credential = await context.credential()
  return createProvisioningClient({ url: context.service().url, credential, timeoutSeconds, retry: RETRY })
}

export function openPlatform(apiUrl: string, token: string): PlatformClient {
  return createPlatformClient({ url: apiUrl, credential: bearer(token), timeoutSeconds: 30, retry: RETRY })
}
