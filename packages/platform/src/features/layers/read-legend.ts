import {
  booleanLegend,
  categoryLegend,
  derivedLegend,
  explicitLegend,
  LEGEND_CATEGORIES,
  type LegendEntry,
  type LegendEntryInForce,
  type LegendInForce,
  problems,
  rampOf,
} from '@storey/contract'
import type { Database, Queryable } from '@storey/kit/database'
import { findLayerKind, type LayerKind, type LayerPlace } from './layers.store.ts'
import { countByEntry, numberRange, tallyCategories } from './legend-counts.store.ts'

/**
 * The legend that applies to the values of a layer, by the rules of `contract/src/legend.ts`. The database counts and
 * sorts the values (`legend-counts.store.ts`).
 */
export async function readLegend(db: Database, place: LayerPlace): Promise<LegendInForce> {
  return db.snapshot(async (tx) => {
    const layer = await findLayerKind(tx, place)
    if (!layer) throw problems.notFound('data layer')
    return explicitLegend(await counted(tx, layer, layer.legend ?? [])) ?? derivedLegend(await derive(tx, layer))
  })
}

async function derive(db: Queryable, layer: LayerKind): Promise<LegendEntryInForce[]> {
  if (layer.valueType === 'NUMBER') {
    const range = await numberRange(db, layer)
    return counted(db, layer, rampOf(range ? [range.min, range.max] : []))
  }
  const { first, rest } = await tallyCategories(db, layer, LEGEND_CATEGORIES)
  return layer.valueType === 'BOOLEAN' ? booleanLegend(first) : categoryLegend(first, rest)
}

async function counted(
  db: Queryable,
  layer: LayerKind,
  entries: readonly LegendEntry[],
): Promise<LegendEntryInForce[]> {
  const counts = await countByEntry(db, layer, entries)
  return entries.map((entry, i) => ({ ...entry, count: counts.get(i) ?? 0 }))
}
