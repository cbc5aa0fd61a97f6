import { describe, expect, it } from 'vitest'
import { sameData } from './same-data.ts'

const record = () => ({ id: 'sbx_1', progress: { percent: 10 }, tags: ['a', null], at: undefined })

describe('two answers', () => {
  it('are the same where everything in them is', () => {
    expect(sameData(record(), record())).toBe(true)
    expect(sameData([record()], [record()])).toBe(true)
    expect(sameData(Number.NaN, Number.NaN)).toBe(true)
  })

  it('differ by anything', () => {
    const others = [
      { ...record(), progress: { percent: 11 } },
      { ...record(), tags: ['a'] },
      { ...record(), further: 1 },
      { id: 'sbx_1', progress: { percent: 10 }, tags: ['a', null], other: undefined },
      [],
      null,
      undefined,
    ]
    for (const other of others) expect(sameData(record(), other)).toBe(false)
  })

  it('differ where they hold what cannot be looked into', () => {
    expect(sameData(new Map([[1, 1]]), new Map([[1, 1]]))).toBe(false)
    const known = new Map()
    expect(sameData({ known }, { known })).toBe(true)
  })
})
