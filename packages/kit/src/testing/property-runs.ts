import fc from 'fast-check'

/** Multiplies the number of runs of every property test, for a longer search: `PROPERTY_RUNS=10 npm run unit`. */
const factor = Number(process.env.PROPERTY_RUNS ?? 1)
const DEFAULT_RUNS = 100

if (factor !== 1) {
  const { assert } = fc
  fc.assert = ((property, parameters) =>
    assert(property, {
      ...parameters,
      numRuns: (parameters?.numRuns ?? DEFAULT_RUNS) * factor,
    })) as typeof fc.assert
}
