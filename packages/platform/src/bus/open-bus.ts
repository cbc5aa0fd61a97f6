import type { ServeConfig } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { createBus, type OpenBus } from './bus.ts'

/** A bus within the process, or over NATS if it is configured. The NATS client is loaded only then. */
export async function openBus(
  { natsUrl, sandboxId }: Pick<ServeConfig, 'natsUrl' | 'sandboxId'>,
  log: Log,
): Promise<OpenBus> {
  if (natsUrl === undefined) return createBus(log)
  const { createNatsBus } = await import('./nats-bus.ts')
  return createNatsBus({ url: natsUrl, name: `storey ${sandboxId}`, log })
}
