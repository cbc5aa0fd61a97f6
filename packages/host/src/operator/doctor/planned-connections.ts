import { runningService } from '../../data-folder.ts'
import type { Settings } from '../../settings.ts'

const LIMIT_MS = 5_000
const BUDGET = /^storey_stack_connections\{state="budget",server="control"\} (\d+)$/m

/**
 * How many connections the service on this data folder has planned for its stacks on the server of the control database.
 * Undefined if it does not run, or without metrics.
 */
export async function plannedForStacks({ dataDir, metricsPort }: Settings): Promise<number | undefined> {
  if (metricsPort === 0 || runningService(dataDir) === undefined) return undefined
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal })).text()
    const planned = BUDGET.exec(text)?.[1]
    return planned === undefined ? undefined : Number(planned)
  } catch {
    return undefined
  }
}
