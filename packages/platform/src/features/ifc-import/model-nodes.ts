import { randomUUID } from 'node:crypto'
import { type ElementNode, IFC_SOURCE, LIMITS, type SpaceNode, type StoreyNode, spaceType } from '@storey/contract'
import type { IfcElement, IfcModel, IfcSpace, IfcStorey } from '@storey/ifc'
import { elementTypeOf, spaceTypeOf } from './classify.ts'

/**
 * The common fields of a new node for an entity of the model. The edit generates a code if `code` is empty
 * (`generated-codes.ts`), and sets the times (`validate-edit.ts`).
 */
function identity(globalId: string, code: string) {
  return {
    id: randomUUID(),
    externalId: globalId,
    externalIds: [{ sourceSystem: IFC_SOURCE, externalId: globalId }],
    sourceSystem: IFC_SOURCE,
    code,
    createdAt: '',
    updatedAt: '',
  }
}

/** Returns the label as the code of a node, or an empty text if the label is missing, too long or already used. */
export type CodeChoice = (label: string | null) => string

export function codeChoice(taken: ReadonlySet<string>): CodeChoice {
  const given = new Set<string>()
  return (label) => {
    if (label === null || label.length > LIMITS.node.codeLength || taken.has(label) || given.has(label)) return ''
    given.add(label)
    return label
  }
}

/**
 * The index of each storey, by GlobalId. The storey whose elevation is nearest to 0 m has index 0. If no elevation is
 * known, the first storey has index 0.
 */
export function storeyIndexes({ storeys }: IfcModel): Map<string, number> {
  const height = (storey: IfcStorey) => Math.abs(storey.elevationM ?? Number.POSITIVE_INFINITY)
  const ground = storeys.reduce((best, storey, i) => (height(storey) < height(storeys[best]!) ? i : best), 0)
  return new Map(storeys.map(({ globalId }, i) => [globalId, i - ground]))
}

export function storeyNode({ globalId, name, elevationM }: IfcStorey, index: number, code: string): StoreyNode {
  return { ...identity(globalId, code), name, index, elevationM, areaSqm: null, polygon: null }
}

export function spaceNode(space: IfcSpace, storeyId: string, code: string): SpaceNode {
  const spaceTypeSlug = spaceTypeOf(space)
  return {
    ...identity(space.globalId, code),
    storeyId,
    name: roomName(space),
    spaceTypeSlug,
    areaSqm: space.areaSqm,
    status: 'active',
    isLeasable: spaceType(spaceTypeSlug)!.leasable,
    capacity: null,
    polygon: space.polygon,
  }
}

/** The name of a space. If it has a `longName`, its `name` is the room number. */
export const roomName = ({ name, longName }: IfcSpace): string => longName ?? name

export function elementNode(
  element: IfcElement,
  place: Pick<ElementNode, 'spaceId' | 'storeyId'>,
  code: string,
): ElementNode {
  const { globalId, name } = element
  return {
    ...identity(globalId, code),
    ...place,
    name,
    elementTypeSlug: elementTypeOf(element),
    status: 'active',
    serves: [],
  }
}

/**
 * In IFC the tag is the label of an element. A tag of digits only is not used, because it is a serial number of the
 * authoring tool.
 */
export const elementLabel = ({ tag }: IfcElement): string | null => (tag === null || /^\d+$/.test(tag) ? null : tag)
