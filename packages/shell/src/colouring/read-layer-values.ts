import type { BuildingClient, LayerValueRecord } from '@storey/sdk'

/** The API gives so many a page. */
const PAGE = 100
const AT_ONCE = 4

/** All values of a layer, by room. */
export async function readLayerValues(
  { layers }: Pick<BuildingClient, 'layers'>,
  layerId: string,
  signal: AbortSignal,
): Promise<Map<string, LayerValueRecord>> {
  const first = await layers.values(layerId, { limit: PAGE }, { signal })
  const offsets = Array.from({ length: Math.ceil(first.total / PAGE) - 1 }, (_, i) => (i + 1) * PAGE)
  const found = new Map(first.data.map((record) => [record.entityId, record]))
  const readOn = async () => {
    for (let offset = offsets.shift(); offset !== undefined; offset = offsets.shift()) {
      const { data } = await layers.values(layerId, { limit: PAGE, offset }, { signal })
      for (const record of data) found.set(record.entityId, record)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, offsets.length) }, readOn))
  return found
}
