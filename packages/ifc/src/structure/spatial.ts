import { IfcError } from '../ifc-error.ts'
import type { IfcPlace, IfcSpace, IfcStorey, LeftOut } from '../model.ts'
import type { Entities, Entity } from '../step/entities.ts'
import { createStatedArea } from './floor-area.ts'
import { type StoreyFrame, storeyFrame } from './placements.ts'
import { reasonFor } from './reasons.ts'
import type { Register } from './register.ts'
import { findUpward, type Relations } from './relations.ts'
import type { Units } from './units.ts'

const MAX_ELEVATION_M = 100_000

export interface KeptStorey extends IfcStorey {
  frame: StoreyFrame | null
}

export interface Reading {
  entities: Entities
  relations: Relations
  register: Register
  units: Units
}

/** Reads the project, site or building of the model. Returns null if there is none, or if it is left out. */
export function readPlace(reading: Reading, entity: Entity | undefined): IfcPlace | null {
  const globalId = entity && reading.register.admit(entity)
  return globalId ? { globalId, name: entity.text('Name') } : null
}

/**
 * The first building with storeys, or else the first building; and the site of that building, or else the first site.
 */
export function choosePlaces({ entities, relations }: Reading): { site?: Entity; building?: Entity } {
  const buildings = [...entities.ofClass('IfcBuilding')]
  const wholes = new Set<number | undefined>()
  for (const storey of entities.ofClass('IfcBuildingStorey')) wholes.add(relations.wholeOf.get(storey.id))
  const building = buildings.find(({ id }) => wholes.has(id)) ?? buildings[0]
  const sites = [...entities.ofClass('IfcSite')]
  const under = building ? relations.wholeOf.get(building.id) : undefined
  const site = sites.find(({ id }) => id === under) ?? sites[0]
  return { ...(site && { site }), ...(building && { building }) }
}

export function leaveOutOthers({ entities, register }: Reading, ancestor: string, kept: Entity | undefined): void {
  for (const entity of entities.ofClass(ancestor))
    if (entity.id !== kept?.id) register.leaveOut(entity, reasonFor(entities.schema, entity.className))
}

/** Storeys by their id in the file, lowest first. Storeys of unknown elevation come last. */
export function readStoreys(reading: Reading): Map<number, KeptStorey> {
  const { entities, register, units } = reading
  const storeys: [number, KeptStorey][] = []
  const heights = new Map<number, number>()
  const leftOutBefore = register.leftOut.length
  for (const entity of entities.ofClass('IfcBuildingStorey')) {
    const globalId = register.admit(entity)
    if (globalId === null) continue
    const frame = storeyFrame(entities, entity.reference('ObjectPlacement'), units.lengthM)
    const name = entity.text('Name') ?? entity.text('LongName') ?? globalId
    storeys.push([entity.id, { globalId, name, elevationM: statedElevation(entity, units), frame }])
    const heightM = frame && entity.reference('ObjectPlacement') !== null ? heightOf(reading, entity, frame) : null
    if (heightM !== null) heights.set(entity.id, heightM)
  }
  if (storeys.length === 0) throw new IfcError(noStorey(register.leftOut[leftOutBefore]))
  // Some programs place all storeys at the same height. Then the placements say nothing about the elevations.
  if (new Set(heights.values()).size > 1)
    for (const [id, storey] of storeys) storey.elevationM ??= heights.get(id) ?? null
  const height = ({ elevationM }: KeptStorey): number => elevationM ?? Number.MAX_VALUE
  return new Map(storeys.sort(([, a], [, b]) => height(a) - height(b)))
}

/** `left` is the first storey that was left out, if there is one. */
function noStorey(left: LeftOut | undefined): string {
  if (left === undefined) return 'The model has no building storey'
  const storey = left.name === null ? left.ifcClass : `${left.ifcClass} "${left.name}"`
  return `The model has no building storey that can be imported: ${storey} is left out because ${left.reason}`
}

function statedElevation(storey: Entity, units: Units): number | null {
  const stated = storey.number('Elevation')
  if (stated === null) return null
  const elevationM = rounded(stated * units.lengthM)
  if (!(Math.abs(elevationM) < MAX_ELEVATION_M))
    throw new IfcError(`The storey #${storey.id} has an implausible elevation: ${stated * units.lengthM} m`)
  return elevationM
}

/** The height of a storey above its building, from their placements. Null if it is implausible. */
function heightOf({ entities, relations, units }: Reading, storey: Entity, frame: StoreyFrame): number | null {
  const up = (id: number) => relations.wholeOf.get(id)
  const building = entities.get(findUpward(storey.id, up, (id) => entities.classOf(id) === 'IFCBUILDING'))
  const base = building && storeyFrame(entities, building.reference('ObjectPlacement'), units.lengthM)
  const heightM = rounded(frame.zM - (base?.zM ?? 0))
  return Math.abs(heightM) < MAX_ELEVATION_M ? heightM : null
}

/** Rounds to a tenth of a millimetre. Never returns -0. */
function rounded(metres: number): number {
  return Math.round(metres * 1e4) / 1e4 || 0
}

/** Spaces by their id in the file, without outlines. */
export function readSpaces(reading: Reading, storeys: ReadonlyMap<number, IfcStorey>): Map<number, IfcSpace> {
  const { entities, relations, register, units } = reading
  const spaces = new Map<number, IfcSpace>()
  const statedArea = createStatedArea(entities, units)
  const up = (id: number) => relations.wholeOf.get(id) ?? relations.containerOf.get(id)
  for (const entity of entities.ofClass('IfcSpace')) {
    const storey = findUpward(entity.id, up, (id) => storeys.has(id))
    if (storey === null) {
      register.leaveOut(entity, 'it is on no imported storey')
      continue
    }
    const globalId = register.admit(entity)
    if (globalId === null) continue
    const longName = entity.text('LongName')
    spaces.set(entity.id, {
      globalId,
      storeyGlobalId: storeys.get(storey)!.globalId,
      name: entity.text('Name') ?? longName ?? globalId,
      longName,
      objectType: use(entities, relations, entity),
      areaSqm: statedArea(entity, relations.definitionsOf.get(entity.id) ?? []),
      polygon: null,
    })
  }
  return spaces
}

function use(entities: Entities, relations: Relations, space: Entity): string | null {
  const stated = space.text('ObjectType')
  if (stated !== null) return stated
  const type = entities.get(relations.typeOf.get(space.id) ?? null)
  for (const predefined of [space.enumeration('PredefinedType'), type?.enumeration('PredefinedType')])
    if (predefined && predefined !== 'NOTDEFINED' && predefined !== 'USERDEFINED') return predefined
  return type?.text('Name') ?? null
}
