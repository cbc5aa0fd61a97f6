import { expect, it } from 'vitest'
import { initdbError } from './cluster.ts'

it.each([
  [
    '2026-01-01 00:00:00 UTC [7] FATAL:  could not write to file "x": No space left on device\nchild process exited with exit code 1\ninitdb: removing contents of data directory "/data/postgres.new"\n',
    '2026-01-01 00:00:00 UTC [7] FATAL:  could not write to file "x": No space left on device',
  ],
  [
    'initdb: error: could not access directory "/data"\ninitdb: removing contents of data directory "/data"\n',
    'initdb: error: could not access directory "/data"',
  ],
  ['something else\n', 'something else'],
])('a failed initdb is reported with its error', (stderr, expected) => {
  expect(initdbError(stderr)).toBe(expected)
})
