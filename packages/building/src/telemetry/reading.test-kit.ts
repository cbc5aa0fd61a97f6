import type { BuildingSpec } from '../building.ts'
import { resolveSpec } from '../default-spec.ts'
import { generateBuilding } from '../generate.ts'
import { planTelemetry, type TelemetryModel } from './plan.ts'
import { simulate } from './simulate.ts'

/** All samples of a point, in order. */
export interface Samples {
  timesMs: number[]
  values: number[]
  texts: string[]
}

export function modelOf(input: Partial<BuildingSpec> & { seed: string }): TelemetryModel {
  return planTelemetry(generateBuilding(resolveSpec(input)))
}

/** Simulates a building in a range of time. Returns the samples of the points whose codes match `wanted`, by code. */
export function readAll(model: TelemetryModel, from: string, to: string, wanted = /./): Map<string, Samples> {
  const byCode = new Map<string, Samples>()
  for (const { dayStart, series } of simulate(model, new Date(from), new Date(to))) {
    for (const { pointIndex, offsetsMs, values, texts } of series) {
      const { code } = model.building.points[pointIndex]!
      if (!wanted.test(code)) continue
      let samples = byCode.get(code)
      if (!samples) {
        samples = { timesMs: [], values: [], texts: [] }
        byCode.set(code, samples)
      }
      for (let i = 0; i < values.length; i++) {
        samples.timesMs.push(dayStart + offsetsMs[i]!)
        samples.values.push(values[i]!)
        if (texts) samples.texts.push(texts[i]!)
      }
    }
  }
  return byCode
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!
}

/** Autocorrelation of a series at a lag of one step. */
export function lagOne(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let own = 0
  let next = 0
  for (let i = 0; i < values.length; i++) {
    own += (values[i]! - mean) * (values[i]! - mean)
    if (i > 0) next += (values[i]! - mean) * (values[i - 1]! - mean)
  }
  return next / own
}
