import type { LoopRuns, StackReport } from '@storey/contract'
import type { ControlFigures } from '@storey/provisioning'
import type { Certificate } from './watch-certificates.ts'

/** The values of one scrape. */
export interface Readings extends ControlFigures {
  nowMs: number
  ownLoops: Record<string, LoopRuns>
  /** The reports of stacks by the value of the label `sandbox`. */
  labelledStacks: readonly [sandbox: string, report: StackReport][]
  /** The last known sizes of the file system of the data folder; undefined until they were read once. */
  disk: { freeBytes: number; sizeBytes: number } | undefined
  certificates: readonly Certificate[]
  natsServers: readonly { server: string; isUp: boolean }[]
  connections: number
  accessLogDropped: number
}

/** A value with its labels. */
type Sample = { value: number } & Record<string, string | number>

export interface Metric {
  type: 'gauge' | 'counter'
  name: string
  help: string
  labels: string[]
  samples(now: Readings): Sample[]
}

type ReadValue = (now: Readings) => number | undefined

/** Functions that define metrics of a type: `one` without labels, `by` with labels. */
export const metricsOf = (type: Metric['type']) => ({
  one: (name: string, help: string, readValue: ReadValue): Metric => {
    const samples = (now: Readings) =>
      [readValue(now)].filter((value) => value !== undefined).map((value) => ({ value }))
    return { type, name, help, labels: [], samples }
  },
  by: (labels: string[], name: string, help: string, samples: Metric['samples']): Metric => {
    return { type, name, help, labels, samples }
  },
})
export const gauge = metricsOf('gauge')
export const counter = metricsOf('counter')
export const seconds = (ms: number): number => Math.round(ms) / 1000
