import type { SpaceRecord } from '../wire.ts'

/**
 * The source system of IFC GlobalIds, which imported and generated nodes have. An id of this system takes precedence
 * over an equal id of another system.
 */
const IFC = 'ifc'

export async function externalIdMap(
  spaces: AsyncIterable<Pick<SpaceRecord, 'id' | 'externalIds'>>,
  sourceSystem?: string,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const ofIfc = new Set<string>()
  for await (const { id, externalIds } of spaces) {
    for (const known of externalIds) {
      if (sourceSystem !== undefined && known.sourceSystem !== sourceSystem) continue
      const wins = known.sourceSystem === IFC && !ofIfc.has(known.externalId)
      if (wins) ofIfc.add(known.externalId)
      if (wins || !found.has(known.externalId)) found.set(known.externalId, id)
    }
  }
  return found
}
