import type { SnapshotRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { MAX_PAGES, pagesFor } from './read-revisions.ts'

const snapshots = [{ name: 'Handover', revision: 301 }] as SnapshotRecord[]
const pages = (at: string | null) => pagesFor(at, snapshots, 1000)

describe('the pages of the change log that are read for the revision in the URL', () => {
  it('go back to that revision', () => {
    expect([pages('1000'), pages('801'), pages('800'), pages('1')]).toEqual([1, 1, 2, 5])
  })

  it('go back to the revision of a snapshot if the URL has the name of the snapshot', () => {
    expect(pages('Handover')).toBe(4)
  })

  it('are only the newest page if the URL has no revision, or one that does not exist', () => {
    expect([pages(null), pages('Opening'), pages('1001')]).toEqual([1, 1, 1])
  })

  it('are at most MAX_PAGES', () => {
    expect(pagesFor('1', [], 1_000_000)).toBe(MAX_PAGES)
  })
})
