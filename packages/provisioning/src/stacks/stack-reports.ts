import type { ChildProcess } from 'node:child_process'
import {
  type FoldingReport,
  type LoopRuns,
  type QueueReport,
  type QueuesReport,
  type RequestsReport,
  type StackCommand,
  StackReport,
} from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { Check } from 'typebox/value'
import { combineReports } from './combine-reports.ts'
import { listenToStack } from './stack-messages.ts'

/** If a stack takes longer to report, its previous report is used. */
const ANSWER_LIMIT_MS = 2_000

/** A process of a stack, which can be asked for reports. */
export interface ReportSource {
  /** Asks for a report. It may arrive later, or not at all. */
  ask(): void
  /** Calls `take` with each valid report. */
  onReport(take: (report: StackReport) => void): void
}

interface TrackedStack {
  sandboxId: string
  last: StackReport | undefined
  waiting: Set<() => void>
}

/**
 * Totals of all running stacks, and the last report of each. Totals of counters start from zero when this process
 * starts, and also include stacks that have ended since then.
 */
export interface StacksReport {
  folding: FoldingReport
  /** `largestRssBytes` is the memory of the largest process. */
  requests: RequestsReport & { largestRssBytes: number }
  queues: QueuesReport
  /** Runs of all stacks. `lastSuccessAtMs` is the earliest of the last successes of the stacks. */
  loops: Record<string, LoopRuns>
  /** The last reports of each running stack, by sandbox: those of all its processes, combined. */
  stacks: Record<string, StackReport>
}

/**
 * Collects reports of all running stacks on demand. Counters are added up here, because each stack counts from zero
 * when it starts.
 */
export function createStackReports() {
  const stacks = new Map<ReportSource, TrackedStack>()
  let folded = 0
  let refused = 0
  const refusedFrom = { folding: 0, edits: 0 }
  const runs = new Map<string, Pick<LoopRuns, 'succeeded' | 'failed'>>()

  function addRuns(now: StackReport['loops'], before: StackReport['loops'] | undefined): void {
    for (const [name, { succeeded, failed }] of Object.entries(now)) {
      const sum = runs.get(name) ?? { succeeded: 0, failed: 0 }
      sum.succeeded += succeeded - (before?.[name]?.succeeded ?? 0)
      sum.failed += failed - (before?.[name]?.failed ?? 0)
      runs.set(name, sum)
    }
  }

  function ask(source: ReportSource, tracked: TrackedStack): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        tracked.waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ANSWER_LIMIT_MS)
      tracked.waiting.add(wake)
      source.ask()
    })
  }

  function answered({ waiting }: TrackedStack): void {
    for (const wake of [...waiting]) wake()
  }

  return {
    /** Includes a process of the stack in reports until the process ends. */
    follow(sandboxId: string, source: ReportSource, ended: Promise<void>): void {
      const tracked: TrackedStack = { sandboxId, last: undefined, waiting: new Set() }
      stacks.set(source, tracked)
      source.onReport((report) => {
        folded += report.folding.folded - (tracked.last?.folding.folded ?? 0)
        refused += report.requests.refused - (tracked.last?.requests.refused ?? 0)
        for (const name of QUEUES)
          refusedFrom[name] += refusedIn(report, name) - (tracked.last ? refusedIn(tracked.last, name) : 0)
        addRuns(report.loops, tracked.last?.loops)
        tracked.last = report
        answered(tracked)
      })
      ended.then(() => {
        stacks.delete(source)
        answered(tracked)
      })
    },

    async read(): Promise<StacksReport> {
      await Promise.all([...stacks].map(([source, tracked]) => ask(source, tracked)))
      const reports = [...stacks.values()].flatMap(({ last }) => last ?? [])
      const bySandbox: Record<string, StackReport> = {}
      for (const { sandboxId, last } of stacks.values()) {
        const other = bySandbox[sandboxId]
        // All processes of a stack count the rows of one database, so the largest count is used, and not the sum.
        if (last) bySandbox[sandboxId] = other ? combineReports(other, last, Math.max) : last
      }
      const sum = (figure: (report: StackReport) => number) => reports.reduce((all, report) => all + figure(report), 0)
      const queue = (name: keyof QueuesReport): QueueReport => ({
        waiting: sum(({ queues }) => queues?.[name].waiting ?? 0),
        refused: refusedFrom[name],
      })
      const oldest = reports.map(({ folding }) => folding.oldestAtMs).filter((atMs) => atMs !== null)
      return {
        folding: {
          waiting: Object.values(bySandbox).reduce((all, { folding }) => all + folding.waiting, 0),
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
        queues: { folding: queue('folding'), edits: queue('edits') },
        loops: Object.fromEntries(
          [...runs].map(([name, sum]) => [name, { ...sum, lastSuccessAtMs: leastRecentSuccess(name, reports) }]),
        ),
        stacks: bySandbox,
      }
    },
  }
}

const QUEUES = ['folding', 'edits'] as const satisfies (keyof QueuesReport)[]

const refusedIn = ({ queues }: StackReport, name: keyof QueuesReport): number => queues?.[name].refused ?? 0

/** Reports of a child process. */
export const processReports = (child: ChildProcess, log: Log): ReportSource => ({
  ask() {
    if (child.connected) child.send({ type: 'report' } satisfies StackCommand, () => undefined)
  },
  onReport(take) {
    listenToStack(child, log, (message) => {
      if (message.type !== 'report') return
      const { type: _, ...report } = message
      // A stack that sends an invalid report counts as one that does not respond.
      if (Check(StackReport, report)) take(report)
    })
  },
})

function leastRecentSuccess(name: string, reports: readonly StackReport[]): number | null {
  const moments = reports.map(({ loops }) => loops[name]?.lastSuccessAtMs ?? null).filter((atMs) => atMs !== null)
  return moments.length === 0 ? null : Math.min(...moments)
}
