export { createLoop, type Loop, type LoopOptions } from './loop.ts'
export { createOutcomes } from './outcomes.ts'
export { readRuns, recordRun } from './runs.ts'
