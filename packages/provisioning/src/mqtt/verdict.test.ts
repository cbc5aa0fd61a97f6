import { PROBLEMS } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { verdictOf } from './verdict.ts'

describe('the verdict on a message', () => {
  it('[MQT-06] is `ingested` only for 202', () => {
    const stored = Array.from({ length: 500 }, (_, i) => 100 + i).filter((status) => verdictOf(status) === 'ingested')
    expect(stored).toEqual([202])
  })

  it.each([400, 404, 413, 415])('[MQT-12] is `refused` for the status %i, which is about the message', (status) => {
    expect(verdictOf(status)).toBe('refused')
  })

  it.each([200, 204, 301, 401, 403, 405, 408, 409, 412, 421, 429, 431, 501, 502, 503, 504, 507])(
    '[MQT-12] is `unavailable` for the status %i, which is not about the message',
    (status) => expect(verdictOf(status)).toBe('unavailable'),
  )

  it('[MQT-12] is `refused` only for problems that are about the message', () => {
    const refused = Object.entries(PROBLEMS).filter(([, [status]]) => verdictOf(status) === 'refused')
    const notNow = ['QUOTA_EXCEEDED', 'RATE_LIMITED', 'NOT_READY', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'CONFLICT']
    expect(refused.map(([code]) => code)).toEqual(
      expect.arrayContaining(['VALIDATION_FAILED', 'UNKNOWN_POINTS', 'NOT_FOUND', 'BODY_TOO_LARGE']),
    )
    for (const code of notNow) expect(refused.map(([name]) => name)).not.toContain(code)
    expect(verdictOf(PROBLEMS.INTERNAL[0])).toBe('failed')
  })
})
