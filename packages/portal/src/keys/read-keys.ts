import type { KeyRecord, ProvisioningClient } from '@storey/sdk'
import { readAll } from '@storey/web'

/** Reads all pages of the keys of the organization, because any page can have an active key. */
export const readKeys = ({ keys }: Pick<ProvisioningClient, 'keys'>, signal: AbortSignal): Promise<KeyRecord[]> =>
  readAll(keys.listAll({ signal }))
