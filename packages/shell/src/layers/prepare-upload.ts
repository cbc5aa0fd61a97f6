import type { DataLayer, LayerValueRecord, SpaceNode } from '@storey/sdk'
import type { FindNode } from '../table-input/find-nodes.ts'
import type { TextRow } from '../table-input/parse-table.ts'
import type { DecimalMark } from '../table-input/read-cell.ts'
import { readValue, type Value, type ValueProblem } from './read-value.ts'
import { ruleOf } from './value-rule.ts'

/** A row that will not be written. */
export interface SkippedRow {
  /** The number of the row in the spreadsheet. */
  number: number
  /** The text by which the row names its room. */
  key: string
  room: SpaceNode | undefined
  text: string
  why: { reason: 'noRoom' | 'noKey' | 'noValue' } | { reason: 'repeated'; by: number } | ValueProblem
}

export interface PreparedUpload {
  /** The values to write, by the id of the room, each with the number of its row. */
  values: ReadonlyMap<string, { value: Value; number: number }>
  skipped: readonly SkippedRow[]
  added: number
  changed: number
  unchanged: number
}

interface UploadColumns {
  layer: Pick<DataLayer, 'valueType' | 'valueSchema'>
  findRoom: FindNode<SpaceNode>
  roomColumn: number
  valueColumn: number
  decimalMark: DecimalMark
}

/**
 * Matches rows with rooms and reads their values. If several rows have a valid value for one room, the value of the
 * last one is used.
 */
export function prepareUpload(
  rows: readonly TextRow[],
  { layer, findRoom, roomColumn, valueColumn, decimalMark }: UploadColumns,
  known: ReadonlyMap<string, Pick<LayerValueRecord, 'value'>>,
): PreparedUpload {
  const rule = ruleOf(layer.valueType, layer.valueSchema)
  const skipped: SkippedRow[] = []
  const values = new Map<string, { value: Value; row: Omit<SkippedRow, 'why'> }>()
  for (const { number, cells } of rows) {
    const key = cells[roomColumn] ?? ''
    const text = cells[valueColumn] ?? ''
    const room = findRoom(key)
    const row = { number, key, room, text }
    const skip = (why: SkippedRow['why']) => void skipped.push({ ...row, why })
    if (!room) {
      skip({ reason: key === '' ? 'noKey' : 'noRoom' })
      continue
    }
    if (text === '') {
      skip({ reason: 'noValue' })
      continue
    }
    const read = readValue(text, layer.valueType, rule, decimalMark)
    if ('reason' in read) {
      skip(read)
      continue
    }
    const earlier = values.get(room.id)
    if (earlier) skipped.push({ ...earlier.row, why: { reason: 'repeated', by: number } })
    values.set(room.id, { value: read.value, row })
  }
  const isKnown = ([id, { value }]: [string, { value: Value }]) => known.get(id)?.value === value
  const all = [...values]
  const added = all.filter(([id]) => !known.has(id)).length
  const unchanged = all.filter(isKnown).length
  return {
    values: new Map(all.map(([id, { value, row }]) => [id, { value, number: row.number }])),
    skipped: skipped.sort((a, b) => a.number - b.number),
    added,
    unchanged,
    changed: all.length - added - unchanged,
  }
}
