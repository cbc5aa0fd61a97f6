import { type ElementNode, IFC_SOURCE, LIMITS, type SpaceNode, type StoreyNode } from '@storey/contract'
import type { IfcModel, LeftOut } from '@storey/ifc'
import { findByCodes, findByExternalIds, type GraphEdit, withExternalIds } from '../../graph/index.ts'
import { findLabels, findSpacesOf, findStoreys, spacesOf } from './merge-model.store.ts'
import { codeChoice, elementLabel, elementNode, roomName, spaceNode, storeyIndexes, storeyNode } from './model-nodes.ts'
import { matchSpaces, matchStoreys } from './shared-nodes.ts'

/**
 * Merges a model into the graph. Existing nodes are found by their GlobalId. A storey or a space of another model of
 * the same building is found by its name or room number, and gets this model's GlobalId as well. Only the model that
 * created a node changes its fields.
 */
export async function mergeModel(edit: GraphEdit, model: IfcModel): Promise<NotMerged> {
  const notMerged: NotMerged = { storey: [], space: [], element: [] }
  const known = await knownNodes(edit, model, notMerged)
  const choose = codeChoice(await takenCodes(edit, model))
  const storeyIds = await mergeStoreys(edit, model, known, choose)
  const spaceIds = await mergeSpaces(edit, model, known, storeyIds, choose, notMerged)

  for (const element of model.elements) {
    if (known.ofOtherKind.has(element.globalId)) continue
    const spaceId = element.spaceGlobalId === null ? undefined : spaceIds.get(element.spaceGlobalId)
    const storeyId = element.storeyGlobalId === null ? undefined : storeyIds.get(element.storeyGlobalId)
    const place = spaceId === undefined ? { spaceId: null, storeyId: storeyId ?? null } : { spaceId, storeyId: null }
    const there = known.find(edit, 'element', element.globalId)
    if (!there) edit.put('element', elementNode(element, place, choose(elementLabel(element))))
    else if (isCreator(there, element.globalId)) {
      // An element whose storey is left out stays where it is. If only its space is left out, it moves to the storey.
      const isPlaced = spaceId ?? storeyId ?? (element.spaceGlobalId === null && element.storeyGlobalId === null)
      edit.amend({ ...there, ...(isPlaced ? place : {}), name: element.name })
    }
  }
  return notMerged
}

/** The entities of the model that are left out, by the kind of node that they describe. */
export type NotMerged = Record<'storey' | 'space' | 'element', LeftOut[]>

type Known = Awaited<ReturnType<typeof knownNodes>>

/** The IFC class by the kind of node, for entities without the field `ifcClass` (storeys and spaces). */
const CLASSES: Record<keyof NotMerged, string> = {
  storey: 'IfcBuildingStorey',
  space: 'IfcSpace',
  element: 'IfcElement',
}

/** Finds nodes by the GlobalIds of the model. An entity is left out if a node of another kind has its GlobalId. */
async function knownNodes(edit: GraphEdit, model: IfcModel, notMerged: NotMerged) {
  const kinds: readonly [keyof NotMerged, readonly { globalId: string; name: string; ifcClass?: string }[]][] = [
    ['storey', model.storeys],
    ['space', model.spaces],
    ['element', model.elements],
  ]
  const pairs = kinds.flatMap(([, list]) => list.map((one) => ({ sourceSystem: IFC_SOURCE, externalId: one.globalId })))
  const found = await findByExternalIds(edit.tx, edit.buildingId, pairs)
  const ids = new Map(found.map(({ externalId, nodeId }) => [externalId, nodeId]))
  await edit.load(ids.values())
  const ofOtherKind = new Set<string>()
  for (const [kind, list] of kinds) {
    for (const { globalId, name, ifcClass = CLASSES[kind] } of list) {
      const there = edit.entries.get(ids.get(globalId) ?? '')
      if (there === undefined || there.kind === kind) continue
      ofOtherKind.add(globalId)
      const reason = `its GlobalId belongs to a node of another kind: ${there.kind}`
      notMerged[kind].push({ globalId, ifcClass, name, reason })
    }
  }
  const find = <K extends 'storey' | 'space' | 'element'>(of: GraphEdit, kind: K, globalId: string) =>
    of.get(kind, ids.get(globalId) ?? '')
  return { ofOtherKind, find }
}

async function takenCodes(edit: GraphEdit, model: IfcModel): Promise<Set<string>> {
  const labels = [...model.storeys, ...model.spaces].map(({ name }) => name)
  const tags = model.elements.map(elementLabel).filter((tag) => tag !== null)
  const found = await findByCodes(edit.tx, edit.buildingId, [...labels, ...tags])
  return new Set(found.map(({ code }) => code))
}

const isCreator = (node: StoreyNode | SpaceNode | ElementNode, globalId: string) =>
  node.sourceSystem === IFC_SOURCE && node.externalId === globalId

async function mergeStoreys(edit: GraphEdit, model: IfcModel, known: Known, choose: (label: string) => string) {
  const indexes = storeyIndexes(model)
  const ids = new Map<string, string>()
  const others = (await findStoreys(edit.tx, edit.buildingId)).filter(isOfModel)
  const claimed = model.storeys.flatMap(({ globalId }) => known.find(edit, 'storey', globalId)?.id ?? [])
  const match = matchStoreys(others, claimed)
  const shares: Share[] = []
  for (const storey of model.storeys) {
    const { globalId, name, elevationM } = storey
    if (known.ofOtherKind.has(globalId)) continue
    const there = known.find(edit, 'storey', globalId)
    const shared = there ?? match(storey)
    if (shared === undefined) {
      const made = storeyNode(storey, indexes.get(globalId)!, choose(name))
      edit.put('storey', made)
      ids.set(globalId, made.id)
      continue
    }
    ids.set(globalId, shared.id)
    if (there === undefined) shares.push({ id: shared.id, globalId })
    else if (isCreator(there, globalId)) edit.amend({ ...there, name, elevationM: elevationM ?? there.elevationM })
  }
  await addGlobalIds(edit, 'storey', shares)
  return ids
}

const isOfModel = ({ externalIds }: StoreyNode | SpaceNode) => externalIds.some((id) => id.sourceSystem === IFC_SOURCE)

async function mergeSpaces(
  edit: GraphEdit,
  model: IfcModel,
  known: Known,
  storeyIds: ReadonlyMap<string, string>,
  choose: (label: string) => string,
  notMerged: NotMerged,
) {
  const ids = new Map<string, string>()
  const storeys = [...storeyIds.values()]
  await edit.reserve(spacesOf(storeys))
  const rooms = (await findSpacesOf(edit.tx, storeys)).filter(isOfModel)
  const labels = await findLabels(edit.tx, edit.buildingId)
  const claimed = model.spaces.flatMap(({ globalId }) => known.find(edit, 'space', globalId)?.id ?? [])
  const match = matchSpaces(rooms, labels, claimed)
  const shares: Share[] = []
  for (const space of model.spaces) {
    const { globalId, name } = space
    const storeyId = storeyIds.get(space.storeyGlobalId)
    if (known.ofOtherKind.has(globalId)) continue
    if (storeyId === undefined) {
      notMerged.space.push({ globalId, ifcClass: CLASSES.space, name, reason: 'its storey is left out' })
      continue
    }
    const there = known.find(edit, 'space', globalId)
    const shared = there ?? match(space, storeyId)
    if (shared === undefined) {
      const made = spaceNode(space, storeyId, choose(name))
      edit.put('space', made)
      ids.set(globalId, made.id)
      continue
    }
    ids.set(globalId, shared.id)
    if (there === undefined) shares.push({ id: shared.id, globalId })
    else if (isCreator(there, globalId)) {
      const { areaSqm, polygon } = space
      const drawn = { areaSqm: areaSqm ?? there.areaSqm, polygon: polygon ?? there.polygon }
      edit.amend({ ...there, storeyId, name: roomName(space), ...drawn })
    }
  }
  await addGlobalIds(edit, 'space', shares)
  return ids
}

/** A node of another model that this model has too, and its GlobalId in this model. */
type Share = { id: string; globalId: string }

async function addGlobalIds(edit: GraphEdit, kind: 'storey' | 'space', shares: readonly Share[]): Promise<void> {
  await edit.load(shares.map(({ id }) => id))
  for (const { id, globalId } of shares) {
    const node = edit.get(kind, id)!
    if (node.externalIds.length >= LIMITS.node.externalIds) continue
    edit.amend(withExternalIds(node, [...node.externalIds, { sourceSystem: IFC_SOURCE, externalId: globalId }]))
  }
}
