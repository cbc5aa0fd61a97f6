import type { LoopRuns } from '@storey/contract'

/** The counts of all loops in this process, by the name of the loop. */
const runs = new Map<string, LoopRuns>()

export function recordRun(name: string, isSuccess: boolean): void {
  const own = runs.get(name) ?? { succeeded: 0, failed: 0, lastSuccessAtMs: null }
  runs.set(name, own)
  if (isSuccess) {
    own.succeeded++
    own.lastSuccessAtMs = Date.now()
  } else own.failed++
}

export const readRuns = (): Record<string, LoopRuns> =>
  Object.fromEntries([...runs].map(([name, own]) => [name, { ...own }]))
