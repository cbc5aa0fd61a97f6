import type { KeyRecord, ProvisioningClient } from '@storey/sdk'
import { readAll } from '@storey/web'

/** All keys of the organization, which may be more than one page: an active key may be on any of them. */
export const readKeys = ({ keys }: Pick<ProvisioningClient, 'keys'>, signal: AbortSignal): Promise<KeyRecord[]> =>
  readAll(keys.listAll({ signal }))
