import type { ServeConfig } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { createBus, type OpenBus } from './bus.ts'

/** A bus within the process, or over NATS if NATS is configured. The NATS client is loaded only for a bus over NATS. */
export async function openBus(
  { natsUrls, sandboxId }: Pick<ServeConfig, 'natsUrls' | 'sandboxId'>,
  log: Log,
): Promise<OpenBus> {
  if (natsUrls === undefined) return createBus(log)
  const { createNatsBus } = await import('./nats-bus.ts')
  return createNatsBus({ urls: natsUrls, name: `storey ${sandboxId}`, log })
}
