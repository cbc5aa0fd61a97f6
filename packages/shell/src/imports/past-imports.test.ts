import { revisionSummaries } from '@storey/contract'
import type { ImportSummary, RevisionRecord } from '@storey/sdk'
import { expect, it } from 'vitest'
import { pastImports } from './past-imports.ts'

const none = { created: 0, updated: 0, unchanged: 0, removed: 0 }

it('lists imports of models and of tables, the newest first', () => {
  const model = {
    ...{ importId: 'i1', status: 'succeeded', actor: 'ann', createdAt: '2026-01-02T00:00:00.000Z' },
    counts: {
      storeys: { ...none, created: 2 },
      spaces: { ...none, created: 3, removed: 1 },
      elements: none,
      points: none,
    },
  } as ImportSummary
  const waiting = { ...model, importId: 'i2', counts: null, createdAt: '2026-01-04T00:00:00.000Z' }
  const parts = { rows: 5, list: 'spaces', system: 'CAFM', created: 1, updated: 4 }
  const revisions = [
    { revision: 9, at: '2026-01-03T00:00:00.000Z', actor: 'bo', summary: revisionSummaries.format('imported', parts) },
    { revision: 8, at: '2026-01-03T00:00:00.000Z', actor: 'bo', summary: 'Created the space A' },
  ] as RevisionRecord[]
  expect(pastImports([model, waiting], revisions)).toMatchObject([
    { kind: 'model', to: '/imports/i2', created: 0 },
    { kind: 'table', to: '/history?at=9', list: 'spaces', system: 'CAFM', created: 1, updated: 4 },
    { kind: 'model', to: '/imports/i1', created: 5, updated: 0, removed: 1 },
  ])
})
