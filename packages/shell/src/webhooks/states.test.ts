import { expect, it } from 'vitest'
import { stateOf } from './states.ts'

it('[WHK-49] a paused webhook is one that a person or failures have paused, regardless of the failures so far', () => {
  const failed = { consecutiveFailures: 12 }
  expect(stateOf({ status: 'active', pausedBy: null })).toBe('active')
  expect(stateOf({ ...failed, status: 'paused', pausedBy: 'person' })).toBe('paused')
  expect(stateOf({ ...failed, status: 'paused', pausedBy: 'failures' })).toBe('pausedByFailures')
})
