import { describe, expect, it } from 'vitest'
import { auditQueryOf, filtersOf, ignoredIn } from './audit-filters.ts'

const read = (text: string) => filtersOf(new URLSearchParams(text))

describe('filters of the audit', () => {
  it('come from the address', () => {
    expect(read('action=key.revoked&keyId=key_0a1b2c&limit=25')).toEqual({
      action: 'key.revoked',
      keyId: 'key_0a1b2c',
      limit: 25,
    })
  })

  it('are the usual where the address says nothing, or nonsense', () => {
    expect(read('')).toEqual({ action: '', keyId: '', limit: 100 })
    expect(read('action=key.eaten&limit=1000000')).toEqual({ action: '', keyId: '', limit: 100 })
  })

  it('that cannot be used are told from those that are', () => {
    expect(ignoredIn(new URLSearchParams('action=key.eaten&limit=1000000&outcome=denied&before=zzz'))).toEqual([
      { name: 'action', said: 'key.eaten' },
      { name: 'limit', said: '1000000' },
      { name: 'outcome', said: 'denied' },
      { name: 'before', said: 'zzz' },
    ])
    expect(ignoredIn(new URLSearchParams('action=key.used&limit=25&keyId=half'))).toEqual([])
    expect(ignoredIn(new URLSearchParams('action=&limit='))).toEqual([])
  })

  it('ask for what they name, and never for what the API would refuse', () => {
    expect(auditQueryOf(read('keyId=key_0a1b2c&limit=500&action=key.used'), 17)).toEqual({
      action: 'key.used',
      keyId: 'key_0a1b2c',
      limit: 500,
      before: 17,
    })
    expect(auditQueryOf(read('keyId=half'))).toEqual({ limit: 100 })
  })
})
