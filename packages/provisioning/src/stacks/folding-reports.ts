import type { ChildProcess } from 'node:child_process'
import type { FoldingReport, StackMessage, StackOrder } from '@storey/contract'

/** A stack that takes longer counts with what it said last; the age of what waits there goes on growing. */
const ANSWER_LIMIT_MS = 2_000

interface Heard {
  last: FoldingReport
  waiting: (() => void)[]
}

/**
 * How the folding of observations goes in all stacks that run: asked when somebody wants to know. What was folded is
 * added up here, since a stack begins to count anew each time it is started.
 */
export function createFoldingReports() {
  const stacks = new Map<ChildProcess, Heard>()
  let folded = 0

  function ask(child: ChildProcess, heard: Heard): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ANSWER_LIMIT_MS)
      heard.waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
      if (child.connected) child.send({ type: 'report' } satisfies StackOrder, () => undefined)
    })
  }

  function answered({ waiting }: Heard): void {
    for (const wake of waiting.splice(0)) wake()
  }

  return {
    /** From now on this stack is asked, until it ends. */
    follow(child: ChildProcess, ended: Promise<void>): void {
      const heard: Heard = { last: { waiting: 0, oldestAtMs: null, folded: 0 }, waiting: [] }
      stacks.set(child, heard)
      child.on('message', (message: StackMessage) => {
        if (message.type !== 'report') return
        folded += message.folding.folded - heard.last.folded
        heard.last = message.folding
        answered(heard)
      })
      ended.then(() => {
        stacks.delete(child)
        answered(heard)
      })
    },

    async read(): Promise<FoldingReport> {
      await Promise.all([...stacks].map(([child, heard]) => ask(child, heard)))
      const reports = [...stacks.values()].map(({ last }) => last)
      const oldest = reports.map(({ oldestAtMs }) => oldestAtMs).filter((atMs) => atMs !== null)
      return {
        waiting: reports.reduce((sum, { waiting }) => sum + waiting, 0),
        oldestAtMs: oldest.length === 0 ? null : Math.min(...oldest),
        folded,
      }
    },
  }
}
