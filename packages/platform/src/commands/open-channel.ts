import type { SeedConfig, ServeConfig } from '@storey/contract'
import { ConfigError } from '@storey/kit/config'
import { type Channel, ipcChannel } from './channel.ts'

/** The channel between this process and the control plane: IPC, and HTTP too if `control` is configured. */
export async function openChannel({ control, internalKey }: SeedConfig | ServeConfig): Promise<Channel> {
  if (control === undefined) return ipcChannel
  if (internalKey === undefined) throw new ConfigError(['the configuration has control, but no internalKey'])
  // The module is loaded only if it is used, because loading it delays the start of the process.
  const { openControlChannel } = await import('./control-channel.ts')
  return await openControlChannel({ ...control, key: internalKey })
}
