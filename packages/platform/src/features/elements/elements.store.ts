import { type ElementListQuery, type ElementRecord, elementType, type Page } from '@storey/contract'
import { and, type Queryable, type Sql, sql } from '@storey/kit/database'
import {
  type Admit,
  admitLarge,
  countOf,
  hasId,
  NODE_COLUMNS,
  type NodePage,
  type NodeRow,
  nodeFields,
  onStorey,
} from '../../graph/index.ts'

export type ElementFilter = Pick<ElementListQuery, 'storeyId' | 'spaceId' | 'elementTypeSlug'>

/** The rows with their lists of served nodes, the texts and the response are in memory at the same time. */
const TIMES_IN_MEMORY = 4

type ElementRow = NodeRow & {
  space_id: string | null
  storey_id: string | null
  name: string
  element_type: string
  status: ElementRecord['status']
  serves: string[]
}

export async function listElements(
  db: Queryable,
  buildingId: string,
  filter: ElementFilter,
  page: Page,
  admit: Admit,
): Promise<NodePage> {
  const filters = matching(filter)
  const where = and([sql`building_id = ${buildingId}`, ...filters])
  const inPage = sql`order by code limit ${page.limit} offset ${page.offset}`
  const states = sql`select serves as state from elements where ${where} ${inPage}`
  await admitLarge(db, { states, limit: page.limit, timesInMemory: TIMES_IN_MEMORY }, admit)
  const [rows, total] = await Promise.all([
    db.rows<ElementRow>(sql`${selectElements(where)} ${inPage}`),
    countOf(db, 'element', buildingId, filters.length === 0 ? undefined : where),
  ])
  return { texts: rows.map((row) => JSON.stringify(toRecord(row))), total }
}

export async function findElement(db: Queryable, buildingId: string, id: string): Promise<ElementRecord | undefined> {
  const row = await db.row<ElementRow>(selectElements(hasId(buildingId, id)))
  return row && toRecord(row)
}

function matching({ storeyId, spaceId, elementTypeSlug }: ElementFilter): Sql[] {
  const conditions: Sql[] = []
  if (storeyId !== undefined) conditions.push(onStorey(storeyId))
  if (spaceId !== undefined) conditions.push(sql`space_id = ${spaceId}`)
  if (elementTypeSlug !== undefined) conditions.push(sql`element_type = ${elementTypeSlug}`)
  return conditions
}

/** The storey of an element in a space is the storey of the space. */
function selectElements(where: Sql): Sql {
  return sql`
    select ${NODE_COLUMNS}, space_id, name, element_type, status, serves,
      coalesce(storey_id, (select s.storey_id from spaces s where s.id = space_id)) as storey_id
    from elements where ${where}`
}

function toRecord(row: ElementRow): ElementRecord {
  const type = elementType(row.element_type)
  return {
    ...nodeFields(row),
    name: row.name,
    elementType: { slug: row.element_type, ifcClass: type?.ifcClass ?? null, brickClass: type?.brickClass ?? null },
    spaceId: row.space_id,
    storeyId: row.storey_id,
    status: row.status,
    serves: row.serves,
  }
}
