import type fastCheck from 'fast-check'
import { vi } from 'vitest'

/** Multiplies the number of runs of every property test, for a longer search: `PROPERTY_RUNS=10 npm run unit`. */
const factor = Number(process.env.PROPERTY_RUNS ?? 1)
const DEFAULT_RUNS = 100

if (factor !== 1) {
  vi.doMock('fast-check', async (importOriginal) => {
    const { default: original } = await importOriginal<{ default: typeof fastCheck }>()
    const assert = ((property, parameters) =>
      original.assert(property, {
        ...parameters,
        numRuns: (parameters?.numRuns ?? DEFAULT_RUNS) * factor,
      })) as typeof fastCheck.assert
    return { default: { ...original, assert } }
  })
}
