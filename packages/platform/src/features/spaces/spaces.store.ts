import { type Page, type SpaceListQuery, type SpaceRecord, spaceType } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { type Admit, findNode, type NodePage, pageOfNodes } from '../../graph/index.ts'

export type SpaceFilter = Pick<SpaceListQuery, 'storeyId' | 'spaceTypeSlug' | 'status' | 'isLeasable'>

type StoreyOfSpace = SpaceRecord['storey']

/** Storeys are read by a second query: a join would send each of them many times. */
export async function listSpaces(
  db: Queryable,
  buildingId: string,
  filter: SpaceFilter,
  page: Page,
  admit?: Admit,
): Promise<NodePage> {
  const [{ texts, total }, storeys] = await Promise.all([
    pageOfNodes(db, { kind: 'space', buildingId, filters: matching(filter) }, page, admit),
    db.rows<StoreyOfSpace>(sql`select id, code, name, index from storeys where building_id = ${buildingId}`),
  ])
  const storeyTexts = new Map(storeys.map((storey) => [storey.id, JSON.stringify(storey)]))
  return { texts: texts.map((text) => recordText(text, storeyTexts)), total }
}

export async function findSpace(db: Queryable, buildingId: string, id: string): Promise<SpaceRecord | undefined> {
  const space = await findNode(db, 'space', buildingId, id)
  if (!space) return undefined
  const storey = await db.row<StoreyOfSpace>(
    sql`select id, code, name, index from storeys where id = ${space.storeyId}`,
  )
  return { ...space, storey: storey!, spaceType: typeOf(space.spaceTypeSlug) }
}

function matching({ storeyId, spaceTypeSlug, status, isLeasable }: SpaceFilter): Sql[] {
  const conditions: Sql[] = []
  if (storeyId !== undefined) conditions.push(sql`storey_id = ${storeyId}`)
  if (spaceTypeSlug !== undefined) conditions.push(sql`space_type = ${spaceTypeSlug}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (isLeasable !== undefined) conditions.push(sql`is_leasable = ${isLeasable}`)
  return conditions
}

const typeOf = (slug: string): SpaceRecord['spaceType'] => ({ slug, name: spaceType(slug)?.name ?? slug })

/** The stored state of a space, with its storey and type appended. */
function recordText(text: string, storeyTexts: ReadonlyMap<string, string>): string {
  const storey = storeyTexts.get(fieldText(text, 'storeyId'))
  const type = JSON.stringify(typeOf(fieldText(text, 'spaceTypeSlug')))
  return `${text.slice(0, -1)},"storey":${storey},"spaceType":${type}}`
}

/**
 * The value of a text field of an object in JSON. The field is found by its name in unescaped quotes, because quotes
 * inside a value would be escaped.
 */
function fieldText(text: string, field: string): string {
  const from = text.indexOf(`"${field}":"`) + field.length + 4
  return text.slice(from, text.indexOf('"', from))
}
