import {
  type LayerValue,
  type LayerValueRecord,
  type LayerValuesQuery,
  type LayerValueType,
  LIMITS,
  type List,
  pageOf,
  problems,
} from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { withVersion } from '@storey/kit/http'
import { findLayerKind, type LayerPlace } from './layers.store.ts'
import { listValues, type ValueFilter } from './values.store.ts'
import { versionOfValues } from './values-version.ts'

const COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

export async function readValues(
  db: Database,
  place: LayerPlace,
  query: LayerValuesQuery,
): Promise<List<LayerValueRecord>> {
  const page = pageOf(query, LIMITS.layer.valuesPage)
  const layer = await findLayerKind(db, place)
  if (!layer) throw problems.notFound('data layer')
  const values = await listValues(db, layer, filtersOf(layer.valueType, query), page)
  return withVersion(values, versionOfValues(layer))
}

/** Parses the filters of a query according to the type of the layer. A value must match all filters. */
export function filtersOf(valueType: LayerValueType, query: LayerValuesQuery): ValueFilter[] {
  const filters: ValueFilter[] = []
  for (const op of COMPARISONS) {
    const text = query[op]
    if (text === undefined) continue
    if (valueType !== 'NUMBER')
      throw problems.filterNotAllowed(op, `is for NUMBER layers only; this layer is ${valueType}`)
    filters.push({ op, value: readAs(valueType, op, text) })
  }
  if (query.in?.includes(',')) throw problems.filterNotAllowed('in', 'accepts one value, and not a list with commas')
  for (const name of ['eq', 'in'] as const) {
    const text = query[name]
    if (text !== undefined) filters.push({ op: 'eq', value: readAs(valueType, name, text) })
  }
  return filters
}

function readAs(valueType: LayerValueType, name: string, text: string): LayerValue {
  if (valueType === 'NUMBER') return readNumber(name, text)
  if (valueType !== 'BOOLEAN') return text
  if (text === 'true' || text === 'false') return text === 'true'
  throw problems.query(name, `${name} must be true or false, as the layer is BOOLEAN`)
}

function readNumber(name: string, text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(number)) return number
  throw problems.query(name, `${name} must be a decimal number, as the layer is NUMBER`)
}
