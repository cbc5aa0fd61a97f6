import type { ElementNode, SpaceNode, StoreyNode } from '@storey/sdk'
import { withNames } from '@storey/web'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../table-input/columns.ts'
import { parseTable } from '../table-input/parse-table.ts'
import { guessMapping, prepareRows, withMatchBy } from './prepare-rows.ts'
import type { ImportKind } from './table-fields.ts'

const node = (fields: object) => ({ externalIds: [], ...fields })
const building = {
  storeys: [node({ id: 's0', code: 'L0', name: 'Ground floor', index: 0 })] as unknown as StoreyNode[],
  spaces: [
    node({ id: 'r1', code: 'A-1', name: 'Lobby', storeyId: 's0', spaceTypeSlug: 'lobby' }),
  ] as unknown as SpaceNode[],
  elements: [
    node({
      ...{ id: 'e1', code: 'P-1', name: 'Pump', spaceId: 'r1', elementTypeSlug: 'pump' },
      externalIds: [{ sourceSystem: 'CMMS', externalId: '77' }],
    }),
  ] as unknown as ElementNode[],
  points: [],
}

function prepare(kind: ImportKind, text: string, source = 'CMMS', nodes = building) {
  const columns = columnsOf(parseTable(text), true)
  return prepareRows(kind, columns.rows, guessMapping(kind, columns), nodes, source)
}

describe('a table of rooms', () => {
  it('creates rooms, and finds storeys and space types by any of their names', () => {
    const table = 'Code;Name;Floor;Type;Area\nA-2;Office;ground floor;Private office;12,5\nA-3;Зал;0;Переговорная;7'
    expect(prepare('spaces', table)).toMatchObject({
      rows: [
        {
          number: 2,
          fields: { code: 'A-2', name: 'Office', storeyId: 's0', spaceType: 'private-office', areaSqm: 12.5 },
        },
        { number: 3, fields: { code: 'A-3', spaceType: 'meeting-room', areaSqm: 7 } },
      ],
      bad: [],
    })
  })

  it('finds a storey whose name and index are both the text of the cell, and none if the text fits two storeys', () => {
    const storeys = [
      node({ id: 's1', code: 'L1', name: '1', index: 1 }),
      node({ id: 's2', code: 'L2', name: '3', index: 2 }),
      node({ id: 's3', code: 'L3', name: 'Roof', index: 3 }),
    ] as unknown as StoreyNode[]
    const table = 'Code;Name;Floor;Type\nA-2;Office;1;Private office\nA-3;Office;3;Private office'
    const { rows, bad } = prepare('spaces', table, 'CMMS', { ...building, storeys })
    expect(rows).toMatchObject([{ number: 2, fields: { storeyId: 's1' } }])
    expect(bad).toMatchObject([{ number: 3 }])
  })

  it('changes only the fields for which it has a column', () => {
    expect(prepare('spaces', 'Room code,Capacity,Leasable\na-1,4,yes').rows).toEqual([
      {
        number: 2,
        key: 'a-1',
        fields: { code: 'A-1', name: 'Lobby', storeyId: 's0', spaceType: 'lobby', capacity: 4, isLeasable: true },
      },
    ])
  })

  it('keeps the stored names of rooms on a page that shows translated ones', () => {
    const russian = { ...building, spaces: withNames('space', building.spaces, 'ru') }
    expect(russian.spaces[0]!.name).not.toBe('Lobby')
    expect(prepare('spaces', 'Room code,Capacity\na-1,4', 'CMMS', russian).rows[0]!.fields.name).toBe('Lobby')
  })

  it('reports cells that cannot be read, missing required cells and repeated codes', () => {
    const table = 'Code,Name,Floor,Type,Area\nB-1,X,9,Castle,big\n,Y,0,lobby,1\nA-1,,,,\nA-1,,,,\nB-2,,,,\n,,,,'
    const { rows, bad } = prepare('spaces', table)
    expect(rows.map(({ number }) => number)).toEqual([4])
    expect(bad.map(({ number, field, problem }) => [number, field, problem])).toEqual([
      [2, 'storey', 'notFound'],
      [2, 'spaceType', 'notInCatalog'],
      [2, 'areaSqm', 'notNumber'],
      [3, 'code', 'required'],
      [5, 'code', 'repeated'],
      [6, 'name', 'required'],
      [6, 'storey', 'required'],
      [6, 'spaceType', 'required'],
    ])
  })
})

describe('a table of equipment', () => {
  it('has rows that are matched by the external ids of the source system', () => {
    const table = 'Asset ID,Name,Room,Type\n77,Pump 1,,\n78,Fan,A-1,Fan'
    expect(prepare('elements', table).rows).toEqual([
      { number: 2, key: '77', fields: { externalId: '77', name: 'Pump 1', spaceId: 'r1', elementType: 'pump' } },
      { number: 3, key: '78', fields: { externalId: '78', name: 'Fan', spaceId: 'r1', elementType: 'fan' } },
    ])
    expect(prepare('elements', table, 'BMS').bad.map(({ field }) => field)).toEqual(['room', 'elementType'])
  })
})

it('matches by code if a table has both keys, and by external id if the user selects that', () => {
  const columns = columnsOf(parseTable('Asset ID,Code,Name'), true)
  const byCode = guessMapping('elements', columns)
  expect(byCode).toEqual({ matchBy: 'code', keyColumn: 1, columns: { name: 2 } })
  const byExternalId = withMatchBy(byCode, 'externalId', columns.names)
  expect(byExternalId).toEqual({ matchBy: 'externalId', keyColumn: 0, columns: { name: 2, code: 1 } })
  expect(withMatchBy(byExternalId, 'code', columns.names)).toEqual(byCode)
})

it('reads the units of points by their symbols', () => {
  const table = 'Code,Name,Equipment,Type,Quantity,Unit\nT-1,Temp,P-1,Sensor,Temperature,°C'
  expect(prepare('points', table).rows[0]?.fields).toEqual({
    ...{ code: 'T-1', name: 'Temp', elementId: 'e1', pointType: 'SENSOR', quantityKind: 'Temperature', unit: 'DEG_C' },
  })
})
