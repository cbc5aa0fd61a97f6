import type { RequestRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { clashesOf, fieldsOf, patchOf } from './request-patch.ts'

const request = {
  ...{ title: 'The tap drips', description: null, category: 'other', priority: 'normal' },
  ...{ spaceId: 'room', storeyId: 'ground', elementId: 'tap' },
} as RequestRecord
const fields = fieldsOf(request)
const isStorey = (id: string) => id === 'ground' || id === 'first'
const patch = (changed: Partial<typeof fields>) => patchOf(fields, { ...fields, ...changed }, isStorey)

describe('a correction of a request', () => {
  it('sends what is another, and nothing else', () => {
    expect(patch({})).toEqual({})
    expect(patch({ title: ' The tap drips ', description: '  ' })).toEqual({})
    expect(patch({ title: 'The tap runs', category: 'plumbing', description: 'Since Monday' })).toEqual({
      title: 'The tap runs',
      category: 'plumbing',
      description: 'Since Monday',
    })
  })

  it('takes a description away', () => {
    const had = fieldsOf({ ...request, description: 'Since Monday' })
    expect(patchOf(had, { ...had, description: ' ' }, isStorey)).toEqual({ description: null })
  })

  it('moves it to another room, whose storey follows, to a storey, or to the building', () => {
    expect(patch({ place: 'other room', elementId: '' })).toEqual({ spaceId: 'other room', elementId: null })
    expect(patch({ place: 'first' })).toEqual({ spaceId: null, storeyId: 'first' })
    expect(patch({ place: '' })).toEqual({ spaceId: null, storeyId: null })
  })

  it('clashes with what somebody else changed of the same fields', () => {
    const now = { ...request, title: 'The tap leaks', priority: 'high', spaceId: null } as RequestRecord
    expect(clashesOf(fields, now, { title: 'The tap runs', category: 'plumbing' })).toEqual(['title'])
    expect(clashesOf(fields, now, { spaceId: 'other room' })).toEqual(['place'])
    expect(clashesOf(fields, request, { title: 'The tap runs', spaceId: null, storeyId: null })).toEqual([])
  })
})
