import { describe, expect, it } from 'vitest'
import { kindOfRoom } from './space-types.ts'

describe('kinds of rooms', () => {
  it('group the space types, and an unknown type is in the group of service rooms', () => {
    expect(['open-office', 'shop', 'corridor', 'plant-room', 'a-new-type'].map(kindOfRoom)).toEqual([
      'work',
      'retail',
      'circulation',
      'service',
      'service',
    ])
  })
})
