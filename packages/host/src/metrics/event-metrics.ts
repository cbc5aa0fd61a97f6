import type { CreationObserver, StackExit, StackObserver } from '@storey/provisioning'
import { Counter, Histogram, type Registry } from 'prom-client'

/** The exit code of a stack that exceeded its memory limit: `OUT_OF_MEMORY_EXIT_CODE` in `packages/platform`. */
const OUT_OF_MEMORY = 75
/** At most this many sandboxes have counters of their own. */
const MAX_SANDBOXES = 200
const REASONS = ['memory', 'killed', 'crash'] as const
const START_BUCKETS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30]
const CREATION_BUCKETS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 900]

/** Why a stack ended. */
function reasonOf(exit: StackExit | undefined): (typeof REASONS)[number] {
  if (exit?.exitCode === OUT_OF_MEMORY) return 'memory'
  return exit?.signal === 'SIGKILL' ? 'killed' : 'crash'
}

/** The metrics of rare events: starts and crashes of stacks, and creations and resets of sandboxes. */
export function registerEventMetrics(registry: Registry): StackObserver & CreationObserver {
  const registers = [registry]
  const starts = new Histogram({
    name: 'storey_stack_start_duration_seconds',
    help: 'How long stacks took to wake, including the wait for capacity',
    buckets: START_BUCKETS,
    registers,
  })
  const failedStarts = new Counter({
    name: 'storey_stack_start_failures_total',
    help: 'Starts of stacks that failed: because of the database, the time limit, or a crash',
    labelNames: ['reason'],
    registers,
  })
  const crashes = new Counter({
    name: 'storey_stack_crashes_total',
    help: 'Stacks that ended although the service did not stop them: above the memory limit, killed by the system, or by a crash',
    labelNames: ['sandbox', 'reason'],
    registers,
  })
  const creations = new Histogram({
    name: 'storey_sandbox_creation_duration_seconds',
    help: 'How long the creation or reset of a sandbox took',
    buckets: CREATION_BUCKETS,
    registers,
  })
  const failedCreations = new Counter({
    name: 'storey_sandbox_creation_failures_total',
    help: 'Creations and resets of sandboxes that failed',
    registers,
  })
  for (const reason of ['database', 'timeout', 'crash']) failedStarts.inc({ reason }, 0)
  /** The sandboxes with a label; the one whose stack started or crashed least recently is first. */
  const labelled = new Set<string>()

  /**
   * Adds the counters of a sandbox before its first crash, because `increase` of PromQL ignores the first value of a
   * counter. At the limit, the counters of the sandbox whose stack started or crashed least recently are removed.
   */
  function label(sandbox: string): void {
    if (!labelled.delete(sandbox)) for (const reason of REASONS) crashes.inc({ sandbox, reason }, 0)
    labelled.add(sandbox)
    if (labelled.size <= MAX_SANDBOXES) return
    const [oldest = ''] = labelled
    labelled.delete(oldest)
    for (const reason of REASONS) crashes.remove({ sandbox: oldest, reason })
  }

  return {
    stackStarted(sandboxId, tookMs) {
      starts.observe(tookMs / 1000)
      label(sandboxId)
    },
    stackStartFailed: (_sandboxId, reason) => failedStarts.inc({ reason }),
    stackCrashed(sandboxId, exit) {
      label(sandboxId)
      crashes.inc({ sandbox: sandboxId, reason: reasonOf(exit) })
    },
    sandboxCreated: (_sandboxId, tookMs) => creations.observe(tookMs / 1000),
    sandboxFailed: () => failedCreations.inc(),
  }
}
