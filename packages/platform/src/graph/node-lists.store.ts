import type { NodeKind, Page } from '@storey/contract'
import { and, identifier, type Queryable, type Sql, sql } from '@storey/kit/database'
import { type Admit, admitLarge } from './admit-large.store.ts'
import { TABLES } from './kinds.ts'

/** Nodes as JSON text, which is sent without being parsed. */
export interface NodePage {
  texts: string[]
  total: number
}

/** The rows, the texts and the response are in memory at the same time. */
const TIMES_IN_MEMORY = 3

export interface PageOptions {
  kind: NodeKind
  buildingId: string
  /** Conditions on the columns of the kind's table. */
  filters?: readonly Sql[]
  /** Columns of the kind's table, with the alias `p`. Default: the code. */
  order?: Sql
}

/**
 * Reads a page of nodes. Waits for memory first if the nodes are large (`admitLarge`). In a building with 7,500 spaces,
 * reading 1,000 of them takes 3 ms, and 7 ms with a filter, which is applied to the kind's own table first. Reading the
 * columns of that table and serializing them as JSON would take 12 ms.
 */
export async function pageOfNodes(db: Queryable, options: PageOptions, page: Page, admit?: Admit): Promise<NodePage> {
  const { kind, buildingId, filters = [], order } = options
  const where = and([sql`building_id = ${buildingId}`, ...filters])
  const isPlain = filters.length === 0 && order === undefined
  const states = isPlain ? inOrderOfCode(kind, buildingId, page) : chosen(kind, where, order ?? sql`p.code`, page)
  if (admit) await admitLarge(db, { states, limit: page.limit, timesInMemory: TIMES_IN_MEMORY }, admit)
  const [rows, total] = await Promise.all([
    db.rows<{ text: string }>(sql`select state::text as text from (${states}) as page`),
    countOf(db, kind, buildingId, filters.length === 0 ? undefined : where),
  ])
  return { texts: rows.map(({ text }) => text), total }
}

function inOrderOfCode(kind: NodeKind, buildingId: string, { limit, offset }: Page): Sql {
  return sql`
    select state from nodes where building_id = ${buildingId} and kind = ${kind}
    order by code limit ${limit} offset ${offset}`
}

function chosen(kind: NodeKind, where: Sql, order: Sql, { limit, offset }: Page): Sql {
  return sql`
    select n.state
    from (select * from ${identifier(TABLES[kind])} p where ${where} order by ${order} limit ${limit} offset ${offset}) p
    join nodes n on n.id = p.id order by ${order}`
}

/** The count of a kind is maintained on write; only a filtered list is counted on read. */
export async function countOf(db: Queryable, kind: NodeKind, buildingId: string, where?: Sql): Promise<number> {
  const statement =
    where === undefined
      ? sql`select count as total from node_counts where building_id = ${buildingId} and kind = ${kind}`
      : sql`select count(*) as total from ${identifier(TABLES[kind])} where ${where}`
  return (await db.row<{ total: number }>(statement))?.total ?? 0
}

/** Elements on the storey itself, or in one of its spaces. With an array of spaces, both conditions use an index. */
export function onStorey(storeyId: string): Sql {
  return sql`(storey_id = ${storeyId} or space_id = any(array(select s.id from spaces s where s.storey_id = ${storeyId})))`
}
