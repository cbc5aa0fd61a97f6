import { describe, expect, it } from 'vitest'
import type { Result } from './results.store.ts'
import { splitResults } from './split-results.ts'

function result(startMs: number, changes: { webhookId?: string; attempt?: number; isSuccess?: boolean } = {}): Result {
  const { webhookId = 'one', attempt = 1, isSuccess = true } = changes
  const outcome = { isSuccess, httpCode: 200, responseBody: '', error: null, durationMs: 1 }
  return {
    ...{ deliveryId: `${webhookId} ${startMs}`, webhookId, attempt, leasedUntil: new Date(0), nextAttemptAt: null },
    outcome: { ...outcome, attemptedAt: new Date(startMs) },
  }
}
const results = (count: number, changes?: Parameters<typeof result>[1]) =>
  Array.from({ length: count }, (_, i) => result(i, changes))

describe('results that ended together', () => {
  it('are listed in the given order if they are among the last 50 to start; the others are not listed', () => {
    const ended = results(120).reverse()
    const { listed, unlisted } = splitResults(ended)
    expect(listed).toEqual(ended.slice(0, 50))
    expect(new Set(unlisted)).toEqual(new Set(ended.slice(50)))
  })

  it('are listed if they are among the last 50 of their webhook', () => {
    const [one, two] = [results(50), results(51, { webhookId: 'two' })]
    const { listed, unlisted } = splitResults([...one, ...two])
    expect(listed).toEqual([...one, ...two.slice(1)])
    expect(unlisted).toEqual([two[0]])
  })

  it('are all listed if another result of the same webhook has failed', () => {
    const ended = [...results(120), result(0, { isSuccess: false })]
    expect(splitResults(ended)).toEqual({ listed: ended, unlisted: [] })
  })

  it('are all listed if they belong to retries', () => {
    const ended = results(120, { attempt: 2 })
    expect(splitResults(ended)).toEqual({ listed: ended, unlisted: [] })
  })
})
