import { describe, expect, it } from 'vitest'
import { createRevocations } from './revocations.ts'

const at = new Date('2026-03-02T10:00:00.500Z')
const later = (ms: number) => new Date(at.getTime() + ms)
const bearer = (subject: string, issuedAt: Date, issuer = 'https://realm') => ({ issuer, subject, issuedAt })

describe('revocations', () => {
  it('refuse only tokens that were issued to the subject up to the time of the revocation', () => {
    const revocations = createRevocations()
    revocations.revoke('https://realm', 'ada', at)
    expect(revocations.isRevoked(bearer('ada', later(-60_000)))).toBe(true)
    expect(revocations.isRevoked(bearer('ada', at))).toBe(true)
    expect(revocations.isRevoked(bearer('ada', later(500)))).toBe(false)
    expect(revocations.isRevoked(bearer('bob', later(-60_000)))).toBe(false)
    expect(revocations.isRevoked(bearer('ada', later(-60_000), 'https://other'))).toBe(false)
  })

  it('are never moved to an earlier time', () => {
    const revocations = createRevocations()
    revocations.revoke('https://realm', 'ada', at)
    revocations.revoke('https://realm', 'ada', later(-10_000))
    expect(revocations.isRevoked(bearer('ada', later(-500)))).toBe(true)
  })

  it('notify listeners after they have taken effect', () => {
    const revocations = createRevocations()
    const seen: boolean[] = []
    revocations.onRevoke(() => seen.push(revocations.isRevoked(bearer('ada', at))))
    revocations.revoke('https://realm', 'ada', at)
    expect(seen).toEqual([true])
  })

  it('are kept for a day, up to a maximum number', () => {
    const revocations = createRevocations(3)
    const isKept = (subject: string) => revocations.isRevoked(bearer(subject, later(-1000)))
    revocations.revoke('https://realm', 'old', at)
    revocations.revoke('https://realm', 'a', later(24 * 3_600_000 - 1))
    expect(isKept('old')).toBe(true)
    revocations.revoke('https://realm', 'b', later(24 * 3_600_000))
    expect(isKept('old')).toBe(false)
    for (const subject of ['c', 'd']) revocations.revoke('https://realm', subject, later(24 * 3_600_000))
    expect(['a', 'b', 'c', 'd'].map(isKept)).toEqual([false, true, true, true])
  })
})
