import type { LiveConnection } from '@storey/sdk'
import { CHANNEL_WAIT_MS, type Loading, useLoad } from '@storey/web'
import { useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import type { ArrivalTimesStore } from './data-flow.ts'
import type { ValueStore } from './value-store.ts'

export interface LatestValues extends Pick<Loading<unknown>, 'error' | 'reload'> {
  /** Whether the latest values of all points have been read. Before that, the store has only values received live. */
  isComplete: boolean
}

/**
 * Reads the latest values of all points into the store: when the channel is live, and again when the channel missed
 * events. A failed read is repeated with growing pauses.
 */
export function useLatestValues(
  connection: LiveConnection | undefined,
  { values, arrivalTimes }: { values: ValueStore; arrivalTimes: ArrivalTimesStore },
): LatestValues {
  const { api } = useShell()
  const [isComplete, setIsComplete] = useState(false)
  const reads = useRequiredReads(connection)
  const { error, reload } = useLoad(
    // Each read has its own key, because `useLoad` repeats a failed read only while the key has no data.
    ['latest-values', api.buildingId, reads],
    async (signal) => {
      const { data } = await api.telemetry.latest({ signal })
      let newest = Number.NEGATIVE_INFINITY
      for (const { pointId, value, timestamp, source } of data) {
        values.set(pointId, value, timestamp, source)
        newest = Math.max(newest, Date.parse(timestamp))
      }
      if (data.length > 0) arrivalTimes.noteRead(newest)
      setIsComplete(true)
      return data.length
    },
    { isEnabled: reads > 0, pollMs: () => undefined },
  )
  return { isComplete, error, reload }
}

/**
 * How many reads were required until now. Values that change before the channel is live are not received, so the first
 * read waits for the channel. If the channel is not live after `CHANNEL_WAIT_MS`, the values are read at once, and
 * again when it is live.
 */
function useRequiredReads(connection: LiveConnection | undefined): number {
  const [reads, setReads] = useState(0)
  useEffect(() => {
    if (!connection) return
    const readFirst = () => setReads((before) => Math.max(before, 1))
    const readAgain = () => setReads((before) => before + 1)
    connection.ready.then(readAgain, readFirst)
    const timer = setTimeout(readFirst, CHANNEL_WAIT_MS)
    const end = connection.onSnapshotRequired(readAgain)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [connection])
  return reads
}
