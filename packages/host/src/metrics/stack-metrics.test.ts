import type { StackReport } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { heldBack, labelStacks, MAX_LABELLED, OTHER } from './stack-metrics.ts'

const report = (rssBytes: number, more: Partial<StackReport> = {}): StackReport => ({
  folding: { waiting: 1, oldestAtMs: rssBytes * 10, folded: 2 },
  requests: { rssBytes, bytesInUse: 0, waiting: 0, refused: 0 },
  isDatabaseUp: true,
  pool: { inUse: 1, waiting: 0, limit: 5 },
  webhooks: { due: 1, oldestDueAtMs: null, failing: 0, succeeded: 3, failed: 0 },
  importsWaiting: 0,
  liveConnections: 4,
  isNatsConnected: null,
  loops: {},
  ...more,
})

describe('the metrics of stacks', () => {
  it('are one set for each awake sandbox if few sandboxes are awake', () => {
    const stacks = { sbx_a: report(1), sbx_b: report(2) }
    expect(labelStacks(stacks)).toEqual(Object.entries(stacks))
  })

  it('are one set each for the sandboxes that use most memory, and one set for all others, with correct sums', () => {
    const all = Array.from({ length: MAX_LABELLED + 3 }, (_, i) => report(i + 1))
    all[0] = report(1, { isDatabaseUp: false, isNatsConnected: false })
    all[1] = report(2, { isNatsConnected: true })
    const labelled = labelStacks(Object.fromEntries(all.map((one, i) => [`sbx_${i}`, one])))
    expect(labelled).toHaveLength(MAX_LABELLED + 1)
    const other = Object.fromEntries(labelled)[OTHER]!
    expect(other).toMatchObject({
      folding: { waiting: 3, oldestAtMs: 10 },
      requests: { rssBytes: 1 + 2 + 3 },
      webhooks: { due: 3, oldestDueAtMs: null, succeeded: 9 },
      ...{ isDatabaseUp: false, isNatsConnected: false, liveConnections: 12 },
    })
    const sum = labelled.reduce((bytes, [, { requests }]) => bytes + requests.rssBytes, 0)
    expect(sum).toBe(all.reduce((bytes, { requests }) => bytes + requests.rssBytes, 0))
  })

  it('list held back requests by reason, also those of a sandbox whose stack has an earlier version', () => {
    const queues = { folding: { waiting: 2, refused: 3 }, edits: { waiting: 1, refused: 0 } }
    const requests = { rssBytes: 1, bytesInUse: 0, waiting: 4, refused: 5 }
    const memory = { reason: 'memory', waiting: 4, refused: 5 }
    expect(heldBack(report(1, { requests }))).toEqual([memory])
    expect(heldBack(report(1, { requests, queues }))).toEqual([
      memory,
      { reason: 'folding', waiting: 2, refused: 3 },
      { reason: 'edits', waiting: 1, refused: 0 },
    ])
  })
})
