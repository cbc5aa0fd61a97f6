import type { DataLayer, SpaceNode } from '@storey/sdk'
import { columnNamed, columnsOf } from '../table-input/columns.ts'
import type { FindNode, NodeKey } from '../table-input/find-nodes.ts'
import type { TextRow } from '../table-input/parse-table.ts'
import { type DecimalMark, guessDecimalMark } from '../table-input/read-cell.ts'
import { guessRoomColumn } from './guess-room-column.ts'
import { readValue } from './read-value.ts'
import { ruleOf } from './value-rule.ts'

/** How a table is read. */
export interface UploadSettings {
  hasHeader: boolean
  roomColumn: number
  matchBy: NodeKey
  /** -1 if the column could not be guessed and the user has not selected it. */
  valueColumn: number
  decimalMark: DecimalMark
}

const ROOM_NAMES = ['room', 'room code', 'code', 'room number', 'space', 'помещение', 'код', 'код помещения', 'id']
const VALUE_NAMES = ['value', 'значение']

/** Guesses how a table is read. The first row is a header unless it names a room. */
export function guessSettings(
  rows: readonly TextRow[],
  layer: Pick<DataLayer, 'name' | 'key' | 'valueType' | 'valueSchema'>,
  finders: Record<NodeKey, FindNode<SpaceNode>>,
): UploadSettings {
  const rooms = guessRoomColumn(rows, finders)
  const first = rows[0]?.cells ?? []
  const roomColumn = rooms?.column ?? columnNamed(first, ROOM_NAMES) ?? 0
  const matchBy = rooms?.key ?? 'code'
  const hasHeader = finders[matchBy](first[roomColumn] ?? '') === undefined
  const { names, rows: body } = columnsOf(rows, hasHeader)
  const named = columnNamed(names, [layer.name, layer.key, ...VALUE_NAMES])
  const isNamed = named !== undefined && named !== roomColumn
  const valueColumn = isNamed ? named : columnWithValues(body, layer, names.length, roomColumn)
  const decimalMark = guessDecimalMark(body.map(({ cells }) => cells[valueColumn] ?? ''))
  return { hasHeader, roomColumn, matchBy, valueColumn, decimalMark }
}

/** The column with the most values that fit the layer; -1 if no value fits. */
function columnWithValues(
  rows: readonly TextRow[],
  { valueType, valueSchema }: Pick<DataLayer, 'valueType' | 'valueSchema'>,
  count: number,
  roomColumn: number,
): number {
  const rule = ruleOf(valueType, valueSchema)
  let best = { column: -1, fitting: 0 }
  for (let column = 0; column < count; column++) {
    if (column === roomColumn) continue
    const cells = rows.map((row) => row.cells[column] ?? '').filter((cell) => cell !== '')
    const mark = guessDecimalMark(cells)
    const fitting = cells.filter((cell) => 'value' in readValue(cell, valueType, rule, mark)).length
    if (fitting > best.fitting) best = { column, fitting }
  }
  return best.column
}
