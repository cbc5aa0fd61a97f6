export { createLoop, type Loop, type LoopOptions } from './loop.ts'
export { readRuns } from './runs.ts'
