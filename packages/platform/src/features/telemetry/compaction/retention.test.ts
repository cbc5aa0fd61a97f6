import { expect, it } from 'vitest'
import { nextRetention } from './retention.ts'

const at = (minutes: number) => new Date(Date.UTC(2026, 2, 10) + minutes * 60_000)
const time = (minutes: number, mayRemove = false) => ({ now: at(minutes), mayExpire: true, mayRemove })
const known = (seen: number, done: number | null = null) => ({
  seenAt: at(seen),
  doneAt: done === null ? null : at(done),
})

it.each([
  ['the first process records the current time', time(0), undefined, { type: 'record', at: at(0) }],
  ['a later process keeps the recorded time', time(9), known(0), { type: 'record', at: at(0) }],
  [
    'days are deleted when the recorded time is long enough ago',
    time(10),
    known(0),
    { type: 'delete', asOf: at(0), at: at(10) },
  ],
  ['a recorded time in the future is replaced', time(0), known(50), { type: 'record', at: at(0) }],
  [
    'a process that has run for long enough needs no recorded time',
    time(0, true),
    undefined,
    { type: 'delete', asOf: at(0), at: at(0) },
  ],
  ['nothing is deleted again within an hour', time(59, true), known(0, 0), { type: 'none' }],
  ['days are deleted again after an hour', time(60), known(0, 0), { type: 'delete', asOf: at(0), at: at(60) }],
  ['a deletion with a time in the future does not count', time(0), known(50, 50), { type: 'record', at: at(0) }],
])('[HIS-24] %s', (_what, now, before, expected) => {
  expect(nextRetention(now, before)).toEqual(expected)
})
