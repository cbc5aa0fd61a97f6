export { createLoop, type Loop, type LoopOptions } from './loop.ts'
export { type LoopRuns, readRuns } from './runs.ts'
