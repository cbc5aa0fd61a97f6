import type { Entities } from '../step/entities.ts'

/** The relations between the entities of a model, by their ids in the file. */
export interface Relations {
  /** From a part to its whole, by aggregation and nesting. */
  wholeOf: Map<number, number>
  /** The spatial element that contains an element. */
  containerOf: Map<number, number>
  typeOf: Map<number, number>
  /**
   * The property and quantity sets of spaces. The sets of one relation are one array, which all spaces of the relation
   * share. The sets of other entities are not used, and would take much memory.
   */
  definitionsOf: Map<number, (readonly number[])[]>
}

export function readRelations(entities: Entities): Relations {
  const relations: Relations = {
    wholeOf: new Map(),
    containerOf: new Map(),
    typeOf: new Map(),
    definitionsOf: new Map(),
  }
  const link = (map: Map<number, number>, relation: string, one: string, many: string): void => {
    for (const entity of entities.all((className) => className === relation.toUpperCase())) {
      const target = entity.reference(one)
      if (target !== null) for (const id of entity.references(many)) if (!map.has(id)) map.set(id, target)
    }
  }
  link(relations.wholeOf, 'IfcRelAggregates', 'RelatingObject', 'RelatedObjects')
  link(relations.wholeOf, 'IfcRelNests', 'RelatingObject', 'RelatedObjects')
  link(relations.containerOf, 'IfcRelContainedInSpatialStructure', 'RelatingStructure', 'RelatedElements')
  link(relations.typeOf, 'IfcRelDefinesByType', 'RelatingType', 'RelatedObjects')
  for (const entity of entities.all((className) => className === 'IFCRELDEFINESBYPROPERTIES')) {
    const spaces = entity.references('RelatedObjects').filter((id) => entities.classOf(id) === 'IFCSPACE')
    const group = entity.references('RelatingPropertyDefinition')
    for (const space of spaces) {
      const groups = relations.definitionsOf.get(space)
      if (groups === undefined) relations.definitionsOf.set(space, [group])
      else groups.push(group)
    }
  }
  return relations
}

/** Limits the search, because a model can have cycles. No real model is deeper than this. */
const MAX_STEPS = 50

/** Returns the entity or its nearest ancestor that passes the test; null if none does. */
export function findUpward(from: number, up: (id: number) => number | undefined, test: (id: number) => boolean) {
  let at: number | undefined = from
  for (let step = 0; at !== undefined && step < MAX_STEPS; step++) {
    if (test(at)) return at
    at = up(at)
  }
  return null
}
