import { runningService } from '../../data-folder.ts'
import { getLocal } from '../../get-local.ts'
import type { Settings } from '../../settings.ts'
import { reachable } from './reachable.ts'

const LIMIT_MS = 5_000
const BUDGET = /^storey_stack_connections\{state="budget",server="control"\} (\d+)$/m

/**
 * How many connections the service with this data folder has planned for its stacks on the server of the control
 * database. Undefined if the service does not run, or its metrics cannot be read.
 */
export async function plannedForStacks(settings: Settings): Promise<number | undefined> {
  const { dataDir, metricsHost, metricsPort } = settings
  if (metricsPort === 0 || runningService(dataDir) === undefined) return undefined
  try {
    const target = { host: reachable(metricsHost), port: metricsPort, path: '/metrics' }
    const { text } = await getLocal({ ...target, limitMs: LIMIT_MS })
    const planned = BUDGET.exec(text)?.[1]
    return planned === undefined ? undefined : Number(planned)
  } catch {
    return undefined
  }
}
