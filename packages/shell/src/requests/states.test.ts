import { describe, expect, it } from 'vitest'
import { transitionsFrom } from './states.ts'

const nobody = { assignedUserId: null, assignedTeamId: null }

describe('the transitions of a request', () => {
  it('include “assigned” only with an assignee', () => {
    expect(transitionsFrom({ state: 'new', ...nobody })).toEqual(['in_progress', 'cancelled'])
    const steps = ['in_progress', 'assigned', 'cancelled']
    expect(transitionsFrom({ state: 'new', ...nobody, assignedUserId: 'ann' })).toEqual(steps)
    expect(transitionsFrom({ state: 'new', ...nobody, assignedTeamId: 'hvac' })).toEqual(steps)
  })

  it('list closing before reopening for a resolved request', () => {
    expect(transitionsFrom({ state: 'resolved', ...nobody })).toEqual(['closed', 'in_progress'])
  })
})
