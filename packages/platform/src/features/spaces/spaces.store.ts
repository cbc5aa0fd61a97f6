import { type NodeOf, type Page, problems, type SpaceListQuery, type SpaceRecord, spaceType } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { type Admit, hasId, type NodePage, pageOfNodes } from '../../graph/index.ts'

export type SpaceFilter = Pick<SpaceListQuery, 'storeyId' | 'spaceTypeSlug' | 'status' | 'isLeasable'>

type StoreyOfSpace = SpaceRecord['storey']

/** A page is read at most this many times. The request fails if the storeys changed during each of these reads. */
const MAX_TRIES = 10

/**
 * Storeys are read by a second query: a join would send each of them many times. If a storey was created or deleted
 * between the two queries, the storey of a space may be missing, and both queries run again.
 */
export async function listSpaces(
  db: Queryable,
  buildingId: string,
  filter: SpaceFilter,
  page: Page,
  admit?: Admit,
): Promise<NodePage> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const [{ texts, total }, storeys] = await Promise.all([
      pageOfNodes(db, { kind: 'space', buildingId, filters: matching(filter) }, page, admit),
      db.rows<StoreyOfSpace>(sql`select id, code, name, index from storeys where building_id = ${buildingId}`),
    ])
    const storeyTexts = new Map(storeys.map((storey) => [storey.id, JSON.stringify(storey)]))
    const records = texts.map((text) => recordText(text, storeyTexts))
    if (records.every((record) => record !== undefined)) return { texts: records, total }
  }
  throw problems.notReady('The storeys change faster than the spaces can be read', 1)
}

/** The space and its storey are read by one statement, because a storey can be deleted between two statements. */
export async function findSpace(db: Queryable, buildingId: string, id: string): Promise<SpaceRecord | undefined> {
  const row = await db.row<StoreyOfSpace & { state: NodeOf['space'] }>(sql`
    select n.state, s.id, s.code, s.name, s.index
    from (select state from nodes where ${hasId(buildingId, id)} and kind = 'space') n
    join storeys s on s.id = (n.state ->> 'storeyId')::uuid`)
  if (!row) return undefined
  const { state, ...storey } = row
  return { ...state, storey, spaceType: typeOf(state.spaceTypeSlug) }
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

/** The stored state of a space, with its storey and type appended. Undefined if its storey is missing. */
function recordText(text: string, storeyTexts: ReadonlyMap<string, string>): string | undefined {
  const storey = storeyTexts.get(fieldText(text, 'storeyId'))
  if (storey === undefined) return undefined
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
