import type { SpaceRecord } from '../wire.ts'

/** The source system of nodes that were imported from a building model. */
const MODEL = 'ifc'

export async function externalIdMap(
  spaces: AsyncIterable<Pick<SpaceRecord, 'id' | 'externalIds'>>,
  sourceSystem?: string,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const ofModel = new Set<string>()
  for await (const { id, externalIds } of spaces) {
    for (const known of externalIds) {
      if (sourceSystem !== undefined && known.sourceSystem !== sourceSystem) continue
      const wins = known.sourceSystem === MODEL && !ofModel.has(known.externalId)
      if (wins) ofModel.add(known.externalId)
      if (wins || !found.has(known.externalId)) found.set(known.externalId, id)
    }
  }
  return found
}
