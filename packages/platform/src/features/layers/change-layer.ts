import {
  type DataLayer,
  type DataLayerPatch,
  type LayerValueType,
  LIMITS,
  type NewDataLayer,
  problems,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, Tx } from '@storey/kit/database'
import { instantVersion, type Precondition } from '@storey/kit/http'
import { checkLayer } from './check-layer.ts'
import {
  deleteLayer,
  findLayer,
  insertLayer,
  type LayerColumns,
  type LayerKind,
  type LayerPlace,
  type LockedLayer,
  lockLayer,
  updateLayer,
} from './layers.store.ts'
import { limitCheckTime } from './limit-check-time.ts'
import type { RoomIdentifiers } from './room-identifiers.ts'
import type { ValueChecks } from './value-checks.ts'
import { storedValues } from './values.store.ts'

export interface LayerParts {
  db: Database
  clock: Clock
  checks: ValueChecks
  spaces: RoomIdentifiers
}

export async function createLayer(
  { db, clock }: LayerParts,
  buildingId: string,
  body: NewDataLayer,
): Promise<DataLayer> {
  const { key, name, valueType } = body
  await checkLayer(valueType, body)
  const nothing = { description: null, valueSchema: null, legend: null, metadata: null }
  const layerId = await insertLayer(db, {
    buildingId,
    key,
    name,
    valueType,
    ...nothing,
    ...columnsOf(body),
    at: clock.now(),
  })
  if (!layerId) throw problems.notFound('building')
  return readLayer(db, { buildingId, layerId })
}

export async function readLayer(db: Database, place: LayerPlace): Promise<DataLayer> {
  const layer = await findLayer(db, place)
  if (!layer) throw problems.notFound('data layer')
  return layer
}

export async function changeLayer(
  parts: LayerParts,
  place: LayerPlace,
  patch: DataLayerPatch,
  precondition: Precondition,
): Promise<DataLayer> {
  const { db, clock, checks } = parts
  await db.transaction(async (tx) => {
    const layer = await requireLayer(tx, place)
    precondition.check(instantVersion(layer.updatedAt))
    checkSameType(layer.valueType, patch)
    await checkLayer(layer.valueType, patch)
    const changed = columnsOf(patch)
    if (changed.valueSchema) await checkStoredValues(tx, layer, checks, changed.valueSchema)
    if (Object.keys(changed).length > 0) await updateLayer(tx, layer.id, changed, clock.now())
  })
  return readLayer(db, place)
}

export async function removeLayer({ db }: LayerParts, place: LayerPlace, precondition: Precondition): Promise<void> {
  await db.transaction(async (tx) => {
    const layer = await requireLayer(tx, place)
    precondition.check(instantVersion(layer.updatedAt))
    await deleteLayer(tx, layer.id)
  })
}

export async function requireLayer(tx: Tx, place: LayerPlace): Promise<LockedLayer> {
  const layer = await lockLayer(tx, place)
  if (!layer) throw problems.notFound('data layer')
  return layer
}

function checkSameType(valueType: LayerValueType, patch: DataLayerPatch): void {
  if ('valueType' in patch && patch.valueType !== valueType) throw problems.valueTypeImmutable(valueType)
}

async function checkStoredValues(tx: Tx, layer: LayerKind, checks: ValueChecks, schemaText: string): Promise<void> {
  const check = limitCheckTime(await checks.of(schemaText), () =>
    problems.field('valueSchema', 'the stored values take too long to check: use a simpler valueSchema'),
  )
  const roomIds: string[] = []
  read: for await (const values of storedValues(tx, layer)) {
    for (const { spaceId, value } of values) {
      if ((await check(value)) !== undefined) roomIds.push(spaceId)
      if (roomIds.length === LIMITS.layer.roomsInConflict) break read
    }
  }
  if (roomIds.length > 0) throw problems.valuesBreakSchema(roomIds)
}

/** The fields of a body, as they are stored. */
function columnsOf(body: Partial<NewDataLayer> | DataLayerPatch): Partial<LayerColumns> {
  const { name, description, valueSchema, legend, metadata } = body
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(valueSchema === undefined ? {} : { valueSchema: json(valueSchema) }),
    ...(legend === undefined ? {} : { legend: json(legend) }),
    ...(metadata === undefined ? {} : { metadata: json(metadata) }),
  }
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
