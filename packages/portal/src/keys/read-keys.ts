import type { KeyRecord, ProvisioningClient } from '@storey/sdk'
import { readAll } from '@storey/web'

/** Reads all pages of the keys of the organization, because an active key may be on any page. */
export const readKeys = ({ keys }: Pick<ProvisioningClient, 'keys'>, signal: AbortSignal): Promise<KeyRecord[]> =>
  readAll(keys.listAll({ signal }))
