import { elementTypes, POINT_TYPES, quantityKinds, SPACE_STATUSES, spaceTypes, units } from '@storey/contract'
import { spaceTypeName, storedName } from '@storey/web'
import { elementTypeName, quantityName, unitName } from '../building/catalog-names.ts'
import type { BuildingModel } from '../building/model.ts'
import { type FindNode, nodeFinders } from '../table-input/find-nodes.ts'
import { type DecimalMark, readNumber, readYesOrNo } from '../table-input/read-cell.ts'
import type { FieldName } from './table-fields.ts'

/** Fields of a row, as the import routes of the API expect them. */
export type RowFields = Record<string, string | number | boolean>

export type FieldProblem = 'required' | 'notFound' | 'notInCatalog' | 'notNumber' | 'notYesOrNo'

export type ReadField = (field: FieldName, text: string, decimalMark: DecimalMark) => RowFields | FieldProblem

/**
 * Reads cells as fields of the API. A value of a catalog may be given by its slug or any of its names, a parent by its
 * code, external id or id. A storey may also be given by its name or index.
 */
export function fieldReader({
  storeys,
  spaces,
  elements,
}: Pick<BuildingModel, 'storeys' | 'spaces' | 'elements'>): ReadField {
  const storey = anyOf([
    ...Object.values(nodeFinders(storeys)),
    lookup(storeys, (node) => [node.name, storedName(node), String(node.index)]),
  ])
  const room = anyOf(Object.values(nodeFinders(spaces)))
  const element = anyOf(Object.values(nodeFinders(elements)))
  const parent = (field: string, find: FindNode<{ id: string }>, text: string): RowFields | FieldProblem => {
    const found = find(text)
    return found ? { [field]: found.id } : 'notFound'
  }
  return (field, text, decimalMark) => {
    switch (field) {
      case 'storey':
        return parent('storeyId', storey, text)
      case 'room':
        return parent('spaceId', room, text)
      case 'element':
        return parent('elementId', element, text)
      case 'areaSqm':
      case 'capacity': {
        const value = readNumber(text, decimalMark)
        return Number.isFinite(value) ? { [field]: value } : 'notNumber'
      }
      case 'isLeasable': {
        const value = readYesOrNo(text)
        return value === undefined ? 'notYesOrNo' : { isLeasable: value }
      }
      case 'code':
      case 'externalId':
      case 'name':
        return { [field]: text }
      default: {
        const value = CATALOGS[field].get(text.toLowerCase())
        return value === undefined ? 'notInCatalog' : { [field]: value }
      }
    }
  }
}

const anyOf =
  <Node>(finders: readonly FindNode<Node>[]): FindNode<Node> =>
  (text) => {
    for (const find of finders) {
      const found = find(text)
      if (found) return found
    }
    return undefined
  }

/** Finds a node by one of its names, if no other node has that name. */
function lookup<Node>(nodes: readonly Node[], namesOf: (node: Node) => string[]): FindNode<Node> {
  const found = new Map<string, Node | undefined>()
  for (const node of nodes) {
    for (const key of new Set(namesOf(node).map((name) => name.toLowerCase()))) {
      found.set(key, found.has(key) ? undefined : node)
    }
  }
  return (text) => found.get(text.toLowerCase())
}

/** Values by their names in lower case. A name of several values means the first of them. */
function named<Value extends string>(entries: Iterable<readonly [Value, readonly string[]]>): Map<string, Value> {
  const found = new Map<string, Value>()
  for (const [value, names] of entries) {
    for (const name of [value, ...names]) {
      const key = name.toLowerCase()
      if (name !== '' && !found.has(key)) found.set(key, value)
    }
  }
  return found
}

const RUSSIAN_POINT_TYPES = ['датчик', 'команда', 'уставка', 'тревога', 'состояние', 'параметр']
const STATUS_NAMES = [
  ['in use', 'используется'],
  ['свободно', 'free'],
  ['out of service', 'не работает'],
]

const CATALOGS: Record<
  'spaceType' | 'elementType' | 'pointType' | 'quantityKind' | 'unit' | 'status',
  Map<string, string>
> = {
  spaceType: named(spaceTypes.map(({ slug, name }) => [slug, [name, spaceTypeName(slug, 'ru')]])),
  elementType: named(elementTypes.map(({ slug, name }) => [slug, [name, elementTypeName(slug, 'ru')]])),
  pointType: named(POINT_TYPES.map((type, i) => [type, [RUSSIAN_POINT_TYPES[i]!]])),
  quantityKind: named(quantityKinds.map(({ name, label }) => [name, [label, quantityName(name, 'ru')]])),
  unit: named(units.map(({ name, label, symbol }) => [name, [symbol, label, unitName(name, 'ru')]])),
  status: named(SPACE_STATUSES.map((status, i) => [status, STATUS_NAMES[i]!])),
}
