import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { revisionAt } from './moment-at.ts'

const revisions = [3, 4, 5].map((revision) => ({ revision }) as RevisionRecord)
const snapshots = [{ name: 'Handover', revision: 4 }] as SnapshotRecord[]
const at = (text: string | null) => revisionAt(text, revisions, snapshots)?.revision

describe('the revision that an address names', () => {
  it('is the newest where it names none', () => {
    expect(at(null)).toBe(5)
  })

  it('is the one with that number, or that a snapshot names', () => {
    expect([at('3'), at('Handover')]).toEqual([3, 4])
  })

  it('is none where there is no such one', () => {
    for (const text of ['9999', '2', '0', '', '04', 'handover']) expect(at(text)).toBeUndefined()
  })
})
