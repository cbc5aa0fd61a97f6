import type { SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { nodeFinders } from './find-nodes.ts'

const space = (id: string, code: string, externalIds: SpaceNode['externalIds'] = []) =>
  ({ id, code, externalIds }) as SpaceNode
const cafm = (externalId: string) => ({ sourceSystem: 'cafm', externalId })
const ifc = (externalId: string) => ({ sourceSystem: 'ifc', externalId })

describe('nodeFinders', () => {
  it('finds rooms by code, external id and id', () => {
    const room = space('0191B6A0-0000-7000-8000-000000000001', 'A-101', [ifc('2O2Fr$t4X7Zf8NOew3FLOH'), cafm('17')])
    const find = nodeFinders([room])
    expect(find.code('A-101')).toBe(room)
    expect(find.externalId('17')).toBe(room)
    expect(find.externalId('2O2Fr$t4X7Zf8NOew3FLOH')).toBe(room)
    expect(find.id('0191b6a0-0000-7000-8000-000000000001')).toBe(room)
    expect(find.code('A-102')).toBeUndefined()
  })

  it('ignores the case of a code only if exactly one room matches', () => {
    const rooms = [space('1', 'A-1'), space('2', 'b-1'), space('3', 'B-1')]
    const find = nodeFinders(rooms)
    expect(find.code('a-1')).toBe(rooms[0])
    expect(find.code('B-1')).toBe(rooms[2])
    expect(nodeFinders([space('1', 'x-1'), space('2', 'X-1')]).code('x-1')?.id).toBe('1')
    expect(nodeFinders([space('1', 'xY'), space('2', 'Xy')]).code('xy')).toBeUndefined()
  })

  it('prefers the room with the external id from IFC if two systems use the same external id', () => {
    const rooms = [space('1', 'A', [cafm('7')]), space('2', 'B', [ifc('7')]), space('3', 'C', [cafm('8')])]
    expect(nodeFinders(rooms).externalId('7')).toBe(rooms[1])
    expect(nodeFinders(rooms.toReversed()).externalId('7')).toBe(rooms[1])
  })
})
