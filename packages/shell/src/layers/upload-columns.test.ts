import type { SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { nodeFinders } from '../table-input/find-nodes.ts'
import { parseTable } from '../table-input/parse-table.ts'
import { guessSettings } from './upload-columns.ts'

const finders = nodeFinders([{ id: '1', code: 'A-1', externalIds: [] } as unknown as SpaceNode])
const guess = (text: string) =>
  guessSettings(parseTable(text), { name: 'Heat loss', key: 'heat', valueType: 'NUMBER', valueSchema: null }, finders)

describe('guessSettings', () => {
  it('finds the columns of a table with a header', () => {
    expect(guess('Room;Floor;Heat loss;Note\nA-1;2;21,5;x')).toEqual({
      ...{ hasHeader: true, roomColumn: 0, matchBy: 'code', valueColumn: 2, decimalMark: ',' },
    })
  })

  it('finds the columns of a table without a header', () => {
    expect(guess('20\tA-1')).toMatchObject({ hasHeader: false, roomColumn: 1, valueColumn: 0 })
  })

  it('takes the column with the most values that fit the layer', () => {
    expect(guess('Room,Note,Score\nA-1,x,5')).toMatchObject({ valueColumn: 2 })
    expect(guess('Room,Score,Note\nA-1,5,x')).toMatchObject({ valueColumn: 1 })
  })

  it('guesses by column names if no row identifies a room, and finds no values in a table of rooms only', () => {
    expect(guess('Name,Code,Area,\nx,Z-9,5,')).toMatchObject({ hasHeader: true, roomColumn: 1, valueColumn: 2 })
    expect(guess('Code\nA-1')).toMatchObject({ roomColumn: 0, valueColumn: -1 })
  })
})
