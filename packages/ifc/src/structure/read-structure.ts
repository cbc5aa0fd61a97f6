import { closeSync, openSync } from 'node:fs'
import { IfcError } from '../ifc-error.ts'
import type { IfcModel } from '../model.ts'
import { Schema } from '../schema/schema.ts'
import { Entities } from '../step/entities.ts'
import { readStepFile, type StepFile } from '../step/read-step-file.ts'
import { readEquipment } from './equipment.ts'
import type { StoreyFrame } from './placements.ts'
import { isEquipment, reasonFor } from './reasons.ts'
import { globalIdOf, Register } from './register.ts'
import { readRelations } from './relations.ts'
import { choosePlaces, leaveOutOthers, type Reading, readPlace, readSpaces, readStoreys } from './spatial.ts'
import { readUnits } from './units.ts'

/** A room whose outline is still to be computed from its geometry. */
export interface RoomToDraw {
  /** The id in the file. */
  id: number
  globalId: string
  frame: StoreyFrame
}

export interface Structure {
  model: IfcModel
  rooms: RoomToDraw[]
  data: Pick<StepFile, 'schema' | 'dataFrom' | 'dataTo'>
}

/** The maximum number of nodes in one import. A larger model should be split by building or discipline. */
const MAX_NODES = 100_000

/** Everything of a model except its geometry. */
export function readStructure(path: string): Structure {
  const { lines, ...data } = readStepFile(path)
  const file = openSync(path, 'r')
  try {
    const entities = new Entities(file, { lines, ...data }, new Schema(data.schema))
    return { ...readModel(entities, data.schema), data }
  } finally {
    closeSync(file)
  }
}

function readModel(entities: Entities, schema: string): Omit<Structure, 'data'> {
  const projects = [...entities.ofClass('IfcProject')]
  if (projects.length === 0) throw new IfcError('The model has no project, so the units of its numbers are not known')
  const register = new Register(entities.schema)
  const units = readUnits(entities, projects[0] ?? null)
  const reading: Reading = { entities, relations: readRelations(entities), register, units }
  const project = readPlace(reading, projects[0])
  const chosen = choosePlaces(reading)
  const site = readPlace(reading, chosen.site)
  const building = readPlace(reading, chosen.building)
  const storeys = readStoreys(reading)
  const spaces = readSpaces(reading, storeys)
  const elements = readEquipment(reading, storeys, spaces)
  if (storeys.size + spaces.size + elements.length > MAX_NODES) {
    throw new IfcError(
      `The model has more than ${MAX_NODES.toLocaleString('en')} storeys, rooms and pieces of equipment`,
    )
  }
  leaveOutOthers(reading, 'IfcSite', chosen.site)
  leaveOutOthers(reading, 'IfcBuilding', chosen.building)
  leaveOutRest(reading)
  const frames = new Map([...storeys.values()].map(({ globalId, frame }) => [globalId, frame]))
  const rooms = [...spaces].flatMap(([id, { globalId, storeyGlobalId }]) => {
    const frame = frames.get(storeyGlobalId)
    return frame ? [{ id, globalId, frame }] : []
  })
  const model = {
    schema,
    project,
    site,
    building,
    storeys: [...storeys.values()].map(({ frame: _, ...storey }) => storey),
    spaces: [...spaces.values()],
    elements,
    leftOut: register.leftOut,
  }
  return { model, rooms }
}

const READ_SEPARATELY = ['IfcSite', 'IfcBuilding', 'IfcBuildingStorey', 'IfcSpace']

/** Leaves out products and groups that are not read elsewhere, and entities of unknown classes that have a GlobalId. */
function leaveOutRest({ entities, register }: Reading): void {
  const { schema } = entities
  const isRest = (className: string): boolean =>
    (schema.isA(className, 'IfcProduct') || schema.isA(className, 'IfcGroup')) &&
    !isEquipment(schema, className) &&
    !READ_SEPARATELY.some((ancestor) => schema.isA(className, ancestor))
  for (const entity of entities.all(isRest)) register.leaveOut(entity, reasonFor(schema, entity.className))
  // An unknown class is skipped after its first entity without a GlobalId: a file may have millions of such entities.
  const rootless = new Set<string>()
  for (const entity of entities.all((className) => schema.spell(className) === null, rootless)) {
    if (globalIdOf(entity) === null) rootless.add(entity.className)
    else register.leaveOut(entity, `the class is not part of ${schema.family}`)
  }
}
