import { describe, expect, it } from 'vitest'
import { transitionsFrom } from './states.ts'

const nobody = { assignedUserId: null, assignedTeamId: null }

describe('the steps of a request', () => {
  it('include “assigned” only with an assignee', () => {
    expect(transitionsFrom({ state: 'new', ...nobody })).toEqual(['in_progress', 'cancelled'])
    const steps = ['in_progress', 'assigned', 'cancelled']
    expect(transitionsFrom({ state: 'new', ...nobody, assignedUserId: 'ann' })).toEqual(steps)
    expect(transitionsFrom({ state: 'new', ...nobody, assignedTeamId: 'hvac' })).toEqual(steps)
  })

  it('offer to close a resolved request before they offer to reopen it', () => {
    expect(transitionsFrom({ state: 'resolved', ...nobody })).toEqual(['closed', 'in_progress'])
  })
})
