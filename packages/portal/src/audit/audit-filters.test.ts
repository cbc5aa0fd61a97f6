import { describe, expect, it } from 'vitest'
import { auditQueryOf, filtersOf, ignoredIn } from './audit-filters.ts'

const read = (text: string) => filtersOf(new URLSearchParams(text))

describe('audit filters', () => {
  it('come from the query string', () => {
    expect(read('action=key.revoked&keyId=key_0a1b2c&limit=25')).toEqual({
      action: 'key.revoked',
      keyId: 'key_0a1b2c',
      limit: 25,
    })
  })

  it('use the defaults for missing and invalid parameters', () => {
    expect(read('')).toEqual({ action: '', keyId: '', limit: 100 })
    expect(read('action=key.unknown&limit=1000000')).toEqual({ action: '', keyId: '', limit: 100 })
  })

  it('list the parameters that are ignored', () => {
    expect(ignoredIn(new URLSearchParams('action=key.unknown&limit=1000000&outcome=denied&before=zzz'))).toEqual([
      { name: 'action', value: 'key.unknown' },
      { name: 'limit', value: '1000000' },
      { name: 'outcome', value: 'denied' },
      { name: 'before', value: 'zzz' },
    ])
    expect(ignoredIn(new URLSearchParams('action=key.used&limit=25&keyId=half'))).toEqual([])
    expect(ignoredIn(new URLSearchParams('action=&limit='))).toEqual([])
  })

  it('become a query that the API accepts', () => {
    expect(auditQueryOf(read('keyId=key_0a1b2c&limit=500&action=key.used'), 17)).toEqual({
      action: 'key.used',
      keyId: 'key_0a1b2c',
      limit: 500,
      before: 17,
    })
    expect(auditQueryOf(read('keyId=half'))).toEqual({ limit: 100 })
  })
})
