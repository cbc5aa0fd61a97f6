import type { LayerValue, Problem } from '@storey/contract'
import { createYield } from '@storey/kit/yield-to-event-loop'
import type { ValueCheck } from '../../value-schema/index.ts'

/**
 * The time limit for checking values with a schema, without the pauses for other requests. The patterns of a schema run
 * in linear time, but a large pattern on many long texts still takes long.
 */
const CHECK_TIMEOUT_MS = 5000

/** A check for many values, one at a time, that yields to other requests. Throws `tooLong()` after the time limit. */
export function limitCheckTime(
  check: ValueCheck,
  tooLong: () => Problem,
): (value: LayerValue) => Promise<string | undefined> {
  const yieldTurn = createYield()
  let checkedMs = 0
  return async (value) => {
    if (checkedMs > CHECK_TIMEOUT_MS) throw tooLong()
    await yieldTurn()
    const startedAt = performance.now()
    const reason = check(value)
    checkedMs += performance.now() - startedAt
    return reason
  }
}
