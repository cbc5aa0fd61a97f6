import type { IfcElement, IfcSpace, IfcStorey } from '../model.ts'
import { spellInAnySchema } from '../schema/schema.ts'
import type { Entities, Entity } from '../step/entities.ts'
import { isEquipment } from './reasons.ts'
import { findUpward } from './relations.ts'
import type { Reading } from './spatial.ts'

/** The attributes of a type object, which apply to all its occurrences. */
interface ElementType {
  className: string
  name: string | null
  predefined: string | null
  elementType: string | null
}

export function readEquipment(
  reading: Reading,
  storeys: ReadonlyMap<number, IfcStorey>,
  spaces: ReadonlyMap<number, IfcSpace>,
): IfcElement[] {
  const { entities, relations, register } = reading
  const types = new Map<number, ElementType | null>()
  const typeOf = (element: Entity): ElementType | null => {
    const id = relations.typeOf.get(element.id)
    if (id === undefined) return null
    if (!types.has(id)) types.set(id, readType(entities, id))
    return types.get(id) ?? null
  }
  const place = placeFinder(reading, storeys, spaces)
  const elements: IfcElement[] = []
  for (const entity of entities.all((className) => isEquipment(entities.schema, className))) {
    const globalId = register.admit(entity)
    if (globalId === null) continue
    const type = typeOf(entity)
    const objectType = entity.text('ObjectType') ?? type?.elementType ?? type?.name ?? null
    elements.push({
      globalId,
      name: entity.text('Name') ?? entity.text('Tag') ?? globalId,
      ifcClass: specificClass(entities, entity, type),
      predefinedType: predefinedType(entity, type, objectType),
      tag: entity.text('Tag'),
      objectType,
      ...place(entity.id),
    })
  }
  return elements
}

function readType(entities: Entities, id: number): ElementType | null {
  const type = entities.get(id)
  if (type === null) return null
  return {
    className: type.className,
    name: type.text('Name'),
    predefined: type.enumeration('PredefinedType') ?? type.enumeration('OperationType'),
    elementType: type.text('ElementType'),
  }
}

/**
 * The class of the element, or the class that its type stands for (`IfcLamp` for an `IfcLampType`) if that class is
 * more specific.
 */
function specificClass({ schema }: Entities, element: Entity, type: ElementType | null): string {
  const own = schema.spell(element.className)!
  const candidate = type === null ? null : spellInAnySchema(type.className.replace(/(TYPE|STYLE)$/, ''))
  if (candidate === null || type?.className === candidate.toUpperCase()) return own
  // In IFC2X3 only types have specific classes: a lamp is an IfcFlowTerminal, and its type is an IfcLampType.
  const fits = schema.isA(candidate, own) || schema.isA(type!.className, `${own}Type`)
  return fits ? candidate : own
}

function predefinedType(element: Entity, type: ElementType | null, objectType: string | null): string | null {
  const own = element.enumeration('PredefinedType') ?? element.enumeration('OperationType')
  const stated = own === null || own === 'NOTDEFINED' ? (type?.predefined ?? own) : own
  if (stated === 'USERDEFINED') return objectType
  return stated === 'NOTDEFINED' ? null : stated
}

type Place = Pick<IfcElement, 'spaceGlobalId' | 'storeyGlobalId'>

function placeFinder(
  { relations: { containerOf, wholeOf } }: Reading,
  storeys: ReadonlyMap<number, IfcStorey>,
  spaces: ReadonlyMap<number, IfcSpace>,
): (id: number) => Place {
  const up = (id: number) => containerOf.get(id) ?? wholeOf.get(id)
  return (id) => {
    const space = spaces.get(findUpward(id, up, (at) => spaces.has(at) || storeys.has(at)) ?? 0)
    if (space) return { spaceGlobalId: space.globalId, storeyGlobalId: space.storeyGlobalId }
    const storey = findUpward(id, up, (at) => storeys.has(at))
    return { spaceGlobalId: null, storeyGlobalId: storey === null ? null : storeys.get(storey)!.globalId }
  }
}
