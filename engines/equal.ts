import { deepEqual } from 'node:assert/strict'

/** Fails with both values if they differ. */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  deepEqual(actual, expected, `${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}
