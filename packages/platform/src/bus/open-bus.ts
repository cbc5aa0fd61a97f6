import type { ServeConfig } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { createBus, type OpenBus } from './bus.ts'

/** Within the process, or over NATS where there is one. Its client is loaded only then. */
export async function openBus(
  { natsUrl, sandboxId }: Pick<ServeConfig, 'natsUrl' | 'sandboxId'>,
  log: Log,
): Promise<OpenBus> {
  if (natsUrl === undefined) return createBus(log)
  const { createNatsBus } = await import('./nats-bus.ts')
  return createNatsBus({ url: natsUrl, name: `storey ${sandboxId}`, log })
}
