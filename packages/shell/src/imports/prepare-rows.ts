import type { ElementNode, PointNode, SpaceNode } from '@storey/sdk'
import { storedName } from '@storey/web'
import type { BuildingModel } from '../building/model.ts'
import { type Columns, columnNamed } from '../table-input/columns.ts'
import { nodeFinders } from '../table-input/find-nodes.ts'
import type { TextRow } from '../table-input/parse-table.ts'
import { guessDecimalMark } from '../table-input/read-cell.ts'
import { type FieldProblem, fieldReader, type RowFields } from './read-field.ts'
import { FIELDS, type FieldName, type ImportKind, KEY_NAMES } from './table-fields.ts'

/** Which column of the table has which field; a missing field has no column. */
export interface TableMapping {
  matchBy: 'code' | 'externalId'
  keyColumn: number | undefined
  columns: Partial<Record<FieldName, number>>
}

export interface BadCell {
  /** The number of the row in the spreadsheet. */
  number: number
  key: string
  field: FieldName
  text: string
  problem: FieldProblem | 'repeated'
}

export interface PreparedRows {
  /** Rows for the API, each with its number in the spreadsheet. */
  rows: { number: number; key: string; fields: RowFields }[]
  bad: BadCell[]
  /** The number of rows without any text in the key column and the mapped columns. */
  blank: number
}

type Known = SpaceNode | ElementNode | PointNode
type Building = Pick<BuildingModel, 'storeys' | 'spaces' | 'elements' | 'points'>

/** Guesses the columns by their names. Rows are matched by code unless the table has only external ids. */
export function guessMapping(kind: ImportKind, { names }: Columns): TableMapping {
  const code = columnNamed(names, KEY_NAMES.code)
  const externalId = columnNamed(names, KEY_NAMES.externalId)
  const matchBy = code === undefined && externalId !== undefined ? 'externalId' : 'code'
  const taken = new Set([code, externalId])
  const columns: TableMapping['columns'] = {}
  for (const { field, names: wanted } of FIELDS[kind]) {
    // A column is taken for one field only.
    const free = names.map((name, i) => (taken.has(i) ? '' : name))
    const found = columnNamed(free, wanted)
    if (found === undefined) continue
    columns[field] = found
    taken.add(found)
  }
  return withMatchBy({ matchBy, keyColumn: undefined, columns }, matchBy, names)
}

/**
 * The mapping with rows matched by `matchBy`. Its key column is the column that has one of the names in `KEY_NAMES` for
 * `matchBy`; without such a column, the key column does not change.
 */
export function withMatchBy(
  { keyColumn, columns }: TableMapping,
  matchBy: TableMapping['matchBy'],
  names: readonly string[],
): TableMapping {
  const { code: _, ...others } = columns
  const code = columnNamed(names, KEY_NAMES.code)
  const hasCode = matchBy === 'externalId' && code !== undefined
  return {
    matchBy,
    keyColumn: columnNamed(names, KEY_NAMES[matchBy]) ?? keyColumn,
    columns: hasCode ? { ...others, code } : others,
  }
}

/** Rows for the API. A required field that a row does not have is taken from the node that the row matches. */
export function prepareRows(
  kind: ImportKind,
  rows: readonly TextRow[],
  { matchBy, keyColumn, columns }: TableMapping,
  building: Building,
  sourceSystem: string,
): PreparedRows {
  const read = fieldReader(building)
  const find = knownFinder(kind, matchBy, building, sourceSystem)
  const specs = FIELDS[kind]
  const mapped = Object.entries(columns) as [FieldName, number][]
  const marks = new Map(
    mapped.map(([field, column]) => [field, guessDecimalMark(rows.map(({ cells }) => cells[column] ?? ''))]),
  )
  const prepared: PreparedRows = { rows: [], bad: [], blank: 0 }
  const seen = new Set<string>()
  for (const { number, cells } of rows) {
    const key = keyColumn === undefined ? '' : (cells[keyColumn] ?? '')
    const texts = mapped
      .map(([field, column]) => [field, cells[column] ?? ''] as const)
      .filter(([, text]) => text !== '')
    if (key === '' && texts.length === 0) {
      prepared.blank += 1
      continue
    }
    const bad: BadCell[] = []
    const report = (field: FieldName, text: string, problem: BadCell['problem']) =>
      void bad.push({ number, key, field, text, problem })
    if (key === '') report(matchBy, '', 'required')
    else if (seen.has(key)) report(matchBy, key, 'repeated')
    seen.add(key)
    const known = find(key)
    // The table may have a known code in another letter case, so the row gets the code as it is stored.
    const fields: RowFields = {
      [matchBy]: matchBy === 'code' ? (known?.code ?? key) : key,
      ...(known ? fieldsOf(kind, known) : {}),
    }
    for (const [field, text] of texts) {
      const value = read(field, text, marks.get(field) ?? '.')
      if (typeof value === 'string') report(field, text, value)
      else Object.assign(fields, value)
    }
    const named = new Set<FieldName>([...texts.map(([field]) => field), ...bad.map(({ field }) => field)])
    for (const { field, isRequired } of specs) {
      const isMissing = isRequired && !named.has(field) && !(ROW_FIELD[field] in fields)
      if (isMissing) report(field, '', 'required')
    }
    if (bad.length > 0) prepared.bad.push(...bad)
    else prepared.rows.push({ number, key, fields })
  }
  return prepared
}

/** The name of a field in a row of the API. */
const ROW_FIELD: Record<FieldName, string> = {
  ...{ code: 'code', externalId: 'externalId', name: 'name', storey: 'storeyId', spaceType: 'spaceType' },
  ...{ areaSqm: 'areaSqm', status: 'status', isLeasable: 'isLeasable', capacity: 'capacity', room: 'spaceId' },
  ...{ elementType: 'elementType', element: 'elementId', pointType: 'pointType', quantityKind: 'quantityKind' },
  unit: 'unit',
}

/** The field of the table for a field of the API. */
export const fieldOfRow = (name: string): FieldName | undefined =>
  (Object.keys(ROW_FIELD) as FieldName[]).find((field) => ROW_FIELD[field] === name)

function knownFinder(
  kind: ImportKind,
  matchBy: TableMapping['matchBy'],
  building: Building,
  sourceSystem: string,
): (key: string) => Known | undefined {
  // Rows for the API have the stored names, while the nodes of the page may have translated names.
  const nodes: readonly Known[] = building[kind].map((node) => ({ ...node, name: storedName(node) }))
  if (matchBy === 'code') return nodeFinders(nodes).code
  // The API matches external ids under the source system of the import only.
  const own = nodes.map((node) => ({
    ...node,
    externalIds: node.externalIds.filter((id) => id.sourceSystem === sourceSystem),
  }))
  return nodeFinders(own).externalId
}

/** The required fields of a known node, by the names that a row of the API has. */
function fieldsOf(kind: ImportKind, node: Known): RowFields {
  if (kind === 'spaces') {
    const { name, storeyId, spaceTypeSlug } = node as SpaceNode
    return { name, storeyId, spaceType: spaceTypeSlug }
  }
  if (kind === 'elements') {
    const { name, spaceId, elementTypeSlug } = node as ElementNode
    return { name, elementType: elementTypeSlug, ...(spaceId === null ? {} : { spaceId }) }
  }
  const { name, elementId, pointType, quantityKind, unit } = node as PointNode
  return { name, elementId, pointType, quantityKind, unit }
}
