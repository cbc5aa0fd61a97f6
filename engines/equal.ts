import { deepEqual } from 'node:assert/strict'

/** Throws an error that contains both values if they differ. */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  deepEqual(actual, expected, `${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}
