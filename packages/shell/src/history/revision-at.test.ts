import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { isRevisionNumber, revisionAt, revisionNumber } from './revision-at.ts'

const revisions = [3, 4, 5].map((revision) => ({ revision }) as RevisionRecord)
const snapshots = [{ name: 'Handover', revision: 4 }] as SnapshotRecord[]
const at = (text: string | null) => revisionAt(text, revisions, snapshots)?.revision

describe('the revision in the URL', () => {
  it('defaults to the newest', () => {
    expect(at(null)).toBe(5)
  })

  it('is given by number or by snapshot name', () => {
    expect([at('3'), at('Handover')]).toEqual([3, 4])
  })

  it('is undefined if it does not exist', () => {
    for (const text of ['9999', '2', '0', '', '04', 'handover']) expect(at(text)).toBeUndefined()
  })
})

describe('the number of a revision', () => {
  it('is that of the snapshot with the given name; any other text stays as it is', () => {
    expect(['Handover', '5', '2026-11-18T00:00:00Z'].map((text) => revisionNumber(text, snapshots))).toEqual([
      ...['4', '5', '2026-11-18T00:00:00Z'],
    ])
  })

  it('is not a name or a time', () => {
    for (const text of ['Handover', '2026-11-18T00:00:00Z', '0', '04', '']) expect(isRevisionNumber(text)).toBe(false)
    expect(isRevisionNumber('4')).toBe(true)
  })
})
