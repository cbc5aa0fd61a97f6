import type { SpaceNode } from '@storey/sdk'
import { expect, it } from 'vitest'
import { nodeFinders } from '../table-input/find-nodes.ts'
import { parseTable } from '../table-input/parse-table.ts'
import { prepareUpload } from './prepare-upload.ts'

const rooms = ['A-1', 'A-2', 'A-3', 'A-4'].map((code, i) => ({ id: `room ${i + 1}`, code, externalIds: [] }))
const findRoom = nodeFinders(rooms as unknown as SpaceNode[]).code
const layer = { valueType: 'NUMBER' as const, valueSchema: { type: 'number', maximum: 50 } }
const columns = { layer, findRoom, roomColumn: 0, valueColumn: 1, decimalMark: '.' as const }

it('reports which rows are written, which are not, and why', () => {
  const table = 'A-1,20\nA-2,21\nZ-9,5\nA-3,warm\nA-4,99\n,7\nA-4,\nA-1,22'
  const { values, skipped, ...counts } = prepareUpload(
    parseTable(table),
    columns,
    new Map([
      ['room 1', { value: 19 }],
      ['room 2', { value: 21 }],
    ]),
  )
  expect([...values]).toEqual([
    ['room 1', { value: 22, number: 8 }],
    ['room 2', { value: 21, number: 2 }],
  ])
  expect(counts).toEqual({ added: 0, changed: 1, unchanged: 1 })
  expect(skipped.map(({ number, why }) => [number, why])).toEqual([
    [1, { reason: 'repeated', by: 8 }],
    [3, { reason: 'noRoom' }],
    [4, { reason: 'notNumber' }],
    [5, { reason: 'tooLarge', limit: 50 }],
    [6, { reason: 'noKey' }],
    [7, { reason: 'noValue' }],
  ])
})
