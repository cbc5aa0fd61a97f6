import { StackReport } from '@storey/contract'
import { Check } from 'typebox/value'
import { expect, it } from 'vitest'
import { createStackReports, type ReportSource } from './stack-reports.ts'

const report = (changes: Partial<StackReport> = {}): StackReport => ({
  folding: { waiting: 40, oldestAtMs: 2_000, folded: 100 },
  requests: { rssBytes: 1_000, bytesInUse: 10, waiting: 1, refused: 2 },
  queues: { folding: { waiting: 3, refused: 4 }, edits: { waiting: 5, refused: 6 } },
  isDatabaseUp: true,
  pool: { inUse: 1, waiting: 0, limit: 3 },
  webhooks: { due: 5, oldestDueAtMs: 3_000, failing: 1, succeeded: 7, failed: 2 },
  importsWaiting: 2,
  liveConnections: 4,
  isNatsConnected: true,
  loops: { compaction: { succeeded: 9, failed: 1, lastSuccessAtMs: 5_000 } },
  ...changes,
})

/** A process that answers each question with the report of `next`, and with nothing if `next` returns nothing. */
function processOf(next: () => StackReport | undefined): ReportSource {
  let take: (report: StackReport) => void = () => undefined
  return {
    ask() {
      const answer = next()
      if (answer) queueMicrotask(() => take(answer))
    },
    onReport(listener) {
      take = listener
    },
  }
}

const RUNS = new Promise<void>(() => undefined)

it('combines the reports of the processes of one stack, and counts what waits in its database once', async () => {
  const reports = createStackReports()
  const second = report({ folding: { waiting: 50, oldestAtMs: 1_000, folded: 1 }, isNatsConnected: false })
  reports.follow('sbx_a', processOf(report), RUNS)
  reports.follow(
    'sbx_a',
    processOf(() => second),
    RUNS,
  )
  reports.follow('sbx_b', processOf(report), RUNS)
  const { folding, requests, queues, loops, stacks } = await reports.read()
  expect(folding).toEqual({ waiting: 90, oldestAtMs: 1_000, folded: 201 })
  expect(requests).toMatchObject({ rssBytes: 3_000, largestRssBytes: 1_000, refused: 6 })
  expect(queues).toEqual({ folding: { waiting: 9, refused: 12 }, edits: { waiting: 15, refused: 18 } })
  expect(loops.compaction).toEqual({ succeeded: 27, failed: 3, lastSuccessAtMs: 5_000 })
  expect(stacks.sbx_b).toEqual(report())
  expect(stacks.sbx_a).toEqual({
    folding: { waiting: 50, oldestAtMs: 1_000, folded: 101 },
    requests: { rssBytes: 2_000, bytesInUse: 20, waiting: 2, refused: 4 },
    queues: { folding: { waiting: 6, refused: 8 }, edits: { waiting: 10, refused: 12 } },
    isDatabaseUp: true,
    pool: { inUse: 2, waiting: 0, limit: 6 },
    webhooks: { due: 5, oldestDueAtMs: 3_000, failing: 1, succeeded: 14, failed: 4 },
    importsWaiting: 2,
    liveConnections: 8,
    isNatsConnected: false,
    loops: { compaction: { succeeded: 18, failed: 2, lastSuccessAtMs: 5_000 } },
  })
})

it('includes a process of an earlier version, which does not report what it holds back for other reasons than memory', async () => {
  const { queues: _, ...older } = report()
  expect(Check(StackReport, older)).toBe(true)
  const reports = createStackReports()
  const answers = [
    report(),
    report({ queues: { folding: { waiting: 0, refused: 7 }, edits: { waiting: 0, refused: 6 } } }),
  ]
  for (const next of [() => older, () => answers.shift(), () => older]) reports.follow('sbx_a', processOf(next), RUNS)
  reports.follow(
    'sbx_b',
    processOf(() => older),
    RUNS,
  )
  const { queues, requests, stacks } = await reports.read()
  expect(requests).toMatchObject({ waiting: 4, refused: 8 })
  expect(queues).toEqual({ folding: { waiting: 3, refused: 4 }, edits: { waiting: 5, refused: 6 } })
  expect(stacks.sbx_a!.queues).toEqual(report().queues)
  expect(stacks.sbx_b).not.toHaveProperty('queues')
  expect((await reports.read()).queues).toEqual({
    folding: { waiting: 0, refused: 7 },
    edits: { waiting: 0, refused: 6 },
  })
})

it('uses the previous report of a process that does not answer in time', async () => {
  const answers = [report(), undefined, undefined, report({ liveConnections: 9 })]
  const reports = createStackReports()
  reports.follow(
    'sbx_a',
    processOf(() => answers.shift()),
    RUNS,
  )
  for (const liveConnections of [4, 4, 4, 9]) {
    expect((await reports.read()).stacks.sbx_a).toMatchObject({ liveConnections })
  }
})
