import type { ChildProcess } from 'node:child_process'
import type { FoldingReport, LoopRuns, RequestsReport, StackCommand, StackMessage, StackReport } from '@storey/contract'

/** If a stack takes longer to report, its previous report is used. */
const ANSWER_LIMIT_MS = 2_000

interface TrackedStack {
  last: StackReport
  waiting: (() => void)[]
}

/** Totals of all running stacks. Counters count since this process started. */
export interface StacksReport {
  folding: FoldingReport
  /** `largestRssBytes` is the memory of the largest stack. */
  requests: RequestsReport & { largestRssBytes: number }
  /** Runs of all stacks. The last success is the oldest one among the stacks. */
  loops: Record<string, LoopRuns>
}

const NOTHING: StackReport = {
  folding: { waiting: 0, oldestAtMs: null, folded: 0 },
  requests: { rssBytes: 0, bytesInUse: 0, waiting: 0, refused: 0 },
  loops: {},
}

/**
 * Collects reports of all running stacks on demand. Counters are added up here, because a stack starts from zero at
 * each start.
 */
export function createStackReports() {
  const stacks = new Map<ChildProcess, TrackedStack>()
  let folded = 0
  let refused = 0
  const runs = new Map<string, Pick<LoopRuns, 'succeeded' | 'failed'>>()

  function addRuns(now: StackReport['loops'], before: StackReport['loops']): void {
    for (const [name, { succeeded, failed }] of Object.entries(now)) {
      const sum = runs.get(name) ?? { succeeded: 0, failed: 0 }
      sum.succeeded += succeeded - (before[name]?.succeeded ?? 0)
      sum.failed += failed - (before[name]?.failed ?? 0)
      runs.set(name, sum)
    }
  }

  function ask(child: ChildProcess, tracked: TrackedStack): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ANSWER_LIMIT_MS)
      tracked.waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
      if (child.connected) child.send({ type: 'report' } satisfies StackCommand, () => undefined)
    })
  }

  function answered({ waiting }: TrackedStack): void {
    for (const wake of waiting.splice(0)) wake()
  }

  return {
    /** Includes the stack in reports until it ends. */
    follow(child: ChildProcess, ended: Promise<void>): void {
      const tracked: TrackedStack = { last: NOTHING, waiting: [] }
      stacks.set(child, tracked)
      child.on('message', (message: StackMessage) => {
        if (message.type !== 'report') return
        const { folding, requests, loops } = message
        folded += folding.folded - tracked.last.folding.folded
        refused += requests.refused - tracked.last.requests.refused
        addRuns(loops, tracked.last.loops)
        tracked.last = { folding, requests, loops }
        answered(tracked)
      })
      ended.then(() => {
        stacks.delete(child)
        answered(tracked)
      })
    },

    async read(): Promise<StacksReport> {
      await Promise.all([...stacks].map(([child, tracked]) => ask(child, tracked)))
      const reports = [...stacks.values()].map(({ last }) => last)
      const sum = (figure: (report: StackReport) => number) => reports.reduce((all, report) => all + figure(report), 0)
      const oldest = reports.map(({ folding }) => folding.oldestAtMs).filter((atMs) => atMs !== null)
      return {
        folding: {
          waiting: sum(({ folding }) => folding.waiting),
          oldestAtMs: oldest.length === 0 ? null : Math.min(...oldest),
          folded,
        },
        requests: {
          rssBytes: sum(({ requests }) => requests.rssBytes),
          largestRssBytes: Math.max(0, ...reports.map(({ requests }) => requests.rssBytes)),
          bytesInUse: sum(({ requests }) => requests.bytesInUse),
          waiting: sum(({ requests }) => requests.waiting),
          refused,
        },
        loops: Object.fromEntries(
          [...runs].map(([name, sum]) => [name, { ...sum, lastSuccessAtMs: leastRecentSuccess(name, reports) }]),
        ),
      }
    },
  }
}

function leastRecentSuccess(name: string, reports: readonly StackReport[]): number | null {
  const moments = reports.map(({ loops }) => loops[name]?.lastSuccessAtMs ?? null).filter((atMs) => atMs !== null)
  return moments.length === 0 ? null : Math.min(...moments)
}
