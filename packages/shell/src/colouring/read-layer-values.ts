import { LIMITS } from '@storey/contract'
import type { BuildingClient, LayerValueRecord } from '@storey/sdk'

const PAGE_SIZE = LIMITS.layer.valuesPage.max
const CONCURRENCY = 4

/** All values of a layer, by the id of the room. */
export async function readLayerValues(
  { layers }: Pick<BuildingClient, 'layers'>,
  layerId: string,
  signal: AbortSignal,
): Promise<Map<string, LayerValueRecord>> {
  const first = await layers.values(layerId, { limit: PAGE_SIZE }, { signal })
  const offsets = Array.from({ length: Math.ceil(first.total / PAGE_SIZE) - 1 }, (_, i) => (i + 1) * PAGE_SIZE)
  const found = new Map(first.data.map((record) => [record.entityId, record]))
  const readPages = async () => {
    for (let offset = offsets.shift(); offset !== undefined; offset = offsets.shift()) {
      const { data } = await layers.values(layerId, { limit: PAGE_SIZE, offset }, { signal })
      for (const record of data) found.set(record.entityId, record)
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, offsets.length) }, readPages))
  return found
}
