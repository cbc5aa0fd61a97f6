import type { SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { nodeFinders } from '../table-input/find-nodes.ts'
import { parseTable } from '../table-input/parse-table.ts'
import { guessRoomColumn } from './guess-room-column.ts'

const space = (id: string, code: string, externalId: string) =>
  ({ id, code, externalIds: [{ sourceSystem: 'cafm', externalId }] }) as SpaceNode

describe('guessRoomColumn', () => {
  const finders = nodeFinders([space('1', 'A-1', '17'), space('2', 'A-2', '18')])

  it('finds the column that names the most rooms', () => {
    expect(guessRoomColumn(parseTable('Value,Room\n17,A-1\n3,A-2'), finders)).toMatchObject({ column: 1, key: 'code' })
    expect(guessRoomColumn(parseTable('17;1\n18;2'), finders)).toMatchObject({
      column: 0,
      key: 'externalId',
      matches: 2,
    })
  })

  it('finds nothing in a table of another building', () => {
    expect(guessRoomColumn(parseTable('Room,Value\nZ-1,5'), finders)).toBeUndefined()
  })
})
