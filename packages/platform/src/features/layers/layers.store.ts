import { randomUUID } from 'node:crypto'
import {
  checkQuota,
  type DataLayer,
  type LayerValueType,
  type List,
  type Page,
  problems,
  QUOTAS,
} from '@storey/contract'
import {
  countLocked,
  type Database,
  isUniqueViolation,
  type Queryable,
  type Sql,
  sql,
  type Tx,
} from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { isUuid } from '../../graph/index.ts'

/** The path parameters of a layer. */
export interface LayerPlace {
  buildingId: string
  layerId: string
}

/** The stored fields of a layer. `valueSchema`, `legend` and `metadata` are JSON texts. */
export interface LayerColumns {
  name: string
  description: string | null
  valueSchema: string | null
  legend: string | null
  metadata: string | null
}

export interface NewLayerRow extends LayerColumns {
  buildingId: string
  key: string
  valueType: LayerValueType
  at: Date
}

type InBuilding = { buildingId: string }
const IN_BUILDING = sql`building_id as "buildingId"`

/** Returns the id of the new layer, or undefined if there is no such building. */
export async function insertLayer(db: Database, made: NewLayerRow): Promise<string | undefined> {
  const { buildingId, key, name, description, valueType, valueSchema, legend, metadata, at } = made
  if (!isUuid(buildingId)) return undefined
  const id = randomUUID()
  try {
    const written = await db.transaction(async (tx) => {
      const rows = sql`data_layers where building_id = ${buildingId}`
      checkQuota('layers', await countLocked(tx, `layers ${buildingId}`, rows, QUOTAS.layers.limit))
      noteChange(tx, buildingId, 'layers')
      return await tx.run(sql`
      insert into data_layers (id, building_id, key, name, description, value_type, value_schema, legend, metadata,
        created_at, updated_at)
      select ${id}, b.id, ${key}, ${name}, ${description}, ${valueType}, ${valueSchema}::json, ${legend}::json,
        ${metadata}::json, ${at}, ${at} from buildings b where b.id = ${buildingId}`)
    })
    return written > 0 ? id : undefined
  } catch (err) {
    if (isUniqueViolation(err, 'data_layers_key_key'))
      throw problems.conflict('key', `The layer ${key} already exists in this building`)
    throw err
  }
}

/** Updates a layer. Two updates within one millisecond get different times. */
export async function updateLayer(tx: Tx, id: string, changed: Partial<LayerColumns>, at: Date): Promise<void> {
  const { name = null } = changed
  const set = (column: 'description' | 'valueSchema' | 'legend' | 'metadata', cast: Sql, stored: Sql) =>
    column in changed ? sql`${changed[column]}::${cast}` : stored
  const row = await tx.row<InBuilding>(sql`
    update data_layers set updated_at = greatest(${at}, updated_at + interval '1 millisecond'),
      name = coalesce(${name}, name),
      description = ${set('description', sql`text`, sql`description`)},
      value_schema = ${set('valueSchema', sql`json`, sql`value_schema`)},
      legend = ${set('legend', sql`json`, sql`legend`)},
      metadata = ${set('metadata', sql`json`, sql`metadata`)}
    where id = ${id} returning ${IN_BUILDING}`)
  if (row) noteChange(tx, row.buildingId, 'layers')
}

/**
 * Marks the values of a layer as changed, and returns the time of the change. Two uploads within one millisecond get
 * different times.
 */
export async function markValuesChanged(tx: Tx, layer: LayerKind, at: Date): Promise<Date> {
  const row = await tx.row<InBuilding & { at: Date }>(sql`
    update data_layers set values_updated_at = greatest(${at}, values_updated_at + interval '1 millisecond')
    where id = ${layer.id} returning values_updated_at as at, ${IN_BUILDING}`)
  noteChange(tx, row!.buildingId, 'layers')
  return row!.at
}

type LayerRow = Omit<DataLayer, 'createdAt' | 'updatedAt' | 'valuesUpdatedAt'> & {
  createdAt: Date
  updatedAt: Date
  valuesUpdatedAt: Date | null
}

export async function listLayers(db: Queryable, buildingId: string, page: Page): Promise<List<DataLayer>> {
  const where = sql`l.building_id = ${buildingId}`
  const [rows, count] = await Promise.all([
    db.rows<LayerRow>(sql`${selectLayers(where)} order by l.key limit ${page.limit} offset ${page.offset}`),
    db.row<{ total: number }>(sql`select count(*) as total from data_layers l where ${where}`),
  ])
  return { data: rows.map(toRecord), total: count!.total, ...page }
}

export async function findLayer(db: Queryable, place: LayerPlace): Promise<DataLayer | undefined> {
  const row = await db.row<LayerRow>(selectLayers(isLayer(place)))
  return row && toRecord(row)
}

/** The fields of a layer that are needed to upload or read its values, and to read its legend. */
export type LayerKind = Pick<DataLayer, 'id' | 'valueType' | 'legend'> & {
  schemaText: string | null
  valuesUpdatedAt: Date | null
}

/**
 * `graphVersion` identifies the revision of the graph. It includes the time of the revision, since reseeding a building
 * repeats the revision numbers.
 */
export type LockedLayer = LayerKind & { graphVersion: string; updatedAt: Date }

const KIND = sql`l.id, l.value_type as "valueType", l.legend, l.value_schema::text as "schemaText",
  l.values_updated_at as "valuesUpdatedAt"`

export async function findLayerKind(db: Queryable, place: LayerPlace): Promise<LayerKind | undefined> {
  return db.row<LayerKind>(sql`select ${KIND} from data_layers l where ${isLayer(place)}`)
}

/**
 * Locks the layer, so that its values and schema are written by one transaction at a time. Also locks the building
 * against changes of its graph: no space is deleted while values are written, and two transactions that delete the same
 * values in a different order do not deadlock.
 */
export async function lockLayer(tx: Tx, place: LayerPlace): Promise<LockedLayer | undefined> {
  if (!isUuid(place.buildingId)) return undefined
  const building = await tx.row<{ graphVersion: string }>(sql`
    select revision || ' of ' || updated_at as "graphVersion" from buildings where id = ${place.buildingId}
    for key share`)
  const layer = await tx.row<LayerKind & { updatedAt: Date }>(sql`
    select ${KIND}, l.updated_at as "updatedAt" from data_layers l where ${isLayer(place)} for update`)
  return building && layer && { ...layer, ...building }
}

export async function deleteLayer(tx: Tx, id: string): Promise<void> {
  const row = await tx.row<InBuilding>(sql`delete from data_layers where id = ${id} returning ${IN_BUILDING}`)
  if (row) noteChange(tx, row.buildingId, 'layers')
}

function isLayer({ buildingId, layerId }: LayerPlace): Sql {
  if (!isUuid(buildingId) || !isUuid(layerId)) return sql`false`
  return sql`l.building_id = ${buildingId} and l.id = ${layerId}`
}

function selectLayers(where: Sql): Sql {
  return sql`
    select l.id, l.key, l.name, l.description, l.value_type as "valueType", l.value_schema as "valueSchema", l.legend,
      l.metadata, (select count(*) from layer_values v where v.layer_id = l.id) as "valueCount",
      l.values_updated_at as "valuesUpdatedAt", l.created_at as "createdAt", l.updated_at as "updatedAt"
    from data_layers l where ${where}`
}

function toRecord(row: LayerRow): DataLayer {
  return {
    ...row,
    valuesUpdatedAt: row.valuesUpdatedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
