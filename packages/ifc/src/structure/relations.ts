import type { Entities } from '../step/entities.ts'

/** How the entities of a model hang together, by their ids in the file. */
export interface Relations {
  /** A part's whole: aggregates and nests. */
  wholeOf: Map<number, number>
  /** The spatial element that contains an element. */
  containerOf: Map<number, number>
  typeOf: Map<number, number>
  /** Property and quantity sets, of spaces only: those of all others would fill the memory for nothing. */
  definitionsOf: Map<number, number[]>
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
    for (const space of spaces) {
      const definitions = relations.definitionsOf.get(space) ?? []
      definitions.push(...entity.references('RelatingPropertyDefinition'))
      relations.definitionsOf.set(space, definitions)
    }
  }
  return relations
}

/** Models from strangers can hang in circles: nothing real is deeper than this. */
const MAX_STEPS = 50

/** Goes up from an entity, itself included, until a test says yes. */
export function findUpward(from: number, up: (id: number) => number | undefined, test: (id: number) => boolean) {
  let at: number | undefined = from
  for (let step = 0; at !== undefined && step < MAX_STEPS; step++) {
    if (test(at)) return at
    at = up(at)
  }
  return null
}
