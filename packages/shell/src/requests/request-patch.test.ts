import type { RequestRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { conflictsOf, fieldsOf, patchOf } from './request-patch.ts'

const request = {
  ...{ title: 'The tap drips', description: null, category: 'other', priority: 'normal' },
  ...{ spaceId: 'room', storeyId: 'ground', elementId: 'tap' },
} as RequestRecord
const fields = fieldsOf(request)
const isStorey = (id: string) => id === 'ground' || id === 'first'
const patch = (changed: Partial<typeof fields>) => patchOf(fields, { ...fields, ...changed }, isStorey)

describe('the patch of a request', () => {
  it('contains only the changed fields', () => {
    expect(patch({})).toEqual({})
    expect(patch({ title: ' The tap drips ', description: '  ' })).toEqual({})
    expect(patch({ title: 'The tap runs', category: 'plumbing', description: 'Since Monday' })).toEqual({
      title: 'The tap runs',
      category: 'plumbing',
      description: 'Since Monday',
    })
  })

  it('sets a cleared description to null', () => {
    const original = fieldsOf({ ...request, description: 'Since Monday' })
    expect(patchOf(original, { ...original, description: ' ' }, isStorey)).toEqual({ description: null })
  })

  it('moves the request to a room, a storey or the whole building', () => {
    expect(patch({ place: 'other room', elementId: '' })).toEqual({ spaceId: 'other room', elementId: null })
    expect(patch({ place: 'first' })).toEqual({ spaceId: null, storeyId: 'first' })
    expect(patch({ place: '' })).toEqual({ spaceId: null, storeyId: null })
  })

  it('conflicts with changes of the same fields by somebody else', () => {
    const now = { ...request, title: 'The tap leaks', priority: 'high', spaceId: null } as RequestRecord
    expect(conflictsOf(fields, now, { title: 'The tap runs', category: 'plumbing' })).toEqual(['title'])
    expect(conflictsOf(fields, now, { spaceId: 'other room' })).toEqual(['place'])
    expect(conflictsOf(fields, request, { title: 'The tap runs', spaceId: null, storeyId: null })).toEqual([])
  })
})
