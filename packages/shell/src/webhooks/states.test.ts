import { expect, it } from 'vitest'
import { stateOf } from './states.ts'

it('[WHK-49] the state shows whether a person or failures paused the webhook, however many failures it has', () => {
  const failed = { consecutiveFailures: 12 }
  expect(stateOf({ status: 'active', pausedBy: null })).toBe('active')
  expect(stateOf({ ...failed, status: 'paused', pausedBy: 'person' })).toBe('paused')
  expect(stateOf({ ...failed, status: 'paused', pausedBy: 'failures' })).toBe('pausedByFailures')
})
