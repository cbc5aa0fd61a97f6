import type { LayerValue, LegendEntry, ValueCount } from '@storey/contract'
import { type Queryable, Sql, sql } from '@storey/kit/database'
import type { LayerKind } from './layers.store.ts'
import { VALUE_COLUMNS } from './values.store.ts'

/**
 * The number of values of each legend entry, by the index of the entry. Entries without values are absent. A value
 * counts only for the first entry that it matches. `holdsValue` in the contract package defines whether a value matches
 * an entry.
 */
export async function countByEntry(
  db: Queryable,
  layer: LayerKind,
  entries: readonly LegendEntry[],
): Promise<Map<number, number>> {
  if (entries.length === 0) return new Map()
  const { column, type } = VALUE_COLUMNS[layer.valueType]
  const cases = entries.map(({ value, min, max }, i) =>
    value === undefined
      ? sql`when ${column} between ${min}::float8 and ${max}::float8 then ${i}::integer`
      : sql`when ${column} = ${value}::${type} then ${i}::integer`,
  )
  const rows = await db.rows<{ entry: number | null; count: number }>(sql`
    select case ${new Sql(['', ...Array(cases.length - 1).fill(' '), ''], cases)} end as entry, count(*) as count
    from layer_values where layer_id = ${layer.id} group by 1`)
  return new Map(rows.flatMap(({ entry, count }) => (entry === null ? [] : [[entry, count] as const])))
}

/**
 * The first `limit` distinct values in the order of code points, the number of all other distinct values, and the
 * number of rows with these other values.
 */
export async function tallyCategories(
  db: Queryable,
  layer: LayerKind,
  limit: number,
): Promise<{ first: ValueCount[]; rest: { categories: number; count: number } }> {
  const { column } = VALUE_COLUMNS[layer.valueType]
  const rows = await db.rows<{ value: LayerValue; count: number; categories: number; all: number }>(sql`
    select ${column} as value, count(*) as count, count(*) over () as categories, sum(count(*)) over () as all
    from layer_values where layer_id = ${layer.id} group by ${column} order by ${column} limit ${limit}`)
  const shown = rows.reduce((sum, { count }) => sum + count, 0)
  const { categories = 0, all = 0 } = rows[0] ?? {}
  return {
    first: rows.map(({ value, count }) => ({ value, count })),
    rest: { categories: categories - rows.length, count: all - shown },
  }
}

export async function numberRange(db: Queryable, layer: LayerKind): Promise<{ min: number; max: number } | undefined> {
  const range = await db.row<{ min: number | null; max: number | null }>(
    sql`select min(number), max(number) from layer_values where layer_id = ${layer.id}`,
  )
  return range?.min == null ? undefined : { min: range.min, max: range.max! }
}
