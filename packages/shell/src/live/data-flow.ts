import { SIMULATION_SOURCE } from '@storey/contract'
import { useEffect, useReducer, useRef } from 'react'
import { useNow } from './age.tsx'
import { useLiveEvent, useValueStore } from './live.tsx'

/** Data flows while the last value is not older than this. At its usual speed the simulation sends some every minute. */
export const FLOWING_MS = 120_000

/** When the last values arrived, in milliseconds; undefined if none has arrived. */
export interface LastValues {
  /** From any source. */
  at: number | undefined
  /** From devices and other sources than the simulation. */
  fromOthersAt: number | undefined
}

export type Flow = 'flowing' | 'stopped' | 'idle'

/**
 * `flowing`: values arrive, from the simulation or another source. `stopped`: the simulation is stopped, and no other
 * source sends values. `idle`: none arrive although the simulation runs, or its state is not known.
 */
export function flowOf({ at, fromOthersAt }: LastValues, now: number, isRunning: boolean | undefined): Flow {
  const isRecent = (time: number | undefined) => time !== undefined && now - time <= FLOWING_MS
  if (isRunning === false) return isRecent(fromOthersAt) ? 'flowing' : 'stopped'
  return isRecent(at) ? 'flowing' : 'idle'
}

/**
 * When the last values arrived. Values arrive many times a second: the component renders again only when data begins to
 * flow, and every few seconds.
 */
export function useLastValues(): LastValues {
  const values = useValueStore()
  const [, render] = useReducer((count: number) => count + 1, 0)
  const last = useRef<LastValues>({ at: undefined, fromOthersAt: undefined })
  const note = useRef((at: number, source: string | null) => {
    const { current: before } = last
    const isOther = source !== SIMULATION_SOURCE
    const isNew = (time: number | undefined) => time === undefined || at - time > FLOWING_MS
    last.current = {
      at: Math.max(at, before.at ?? at),
      fromOthersAt: isOther ? Math.max(at, before.fromOthersAt ?? at) : before.fromOthersAt,
    }
    if (isNew(before.at) || (isOther && isNew(before.fromOthersAt))) render()
  }).current
  // The first read of the latest values tells when they were measured. Those without a source may be generated, so none
  // of them shows that another source sends values now.
  useEffect(
    () =>
      values.watchAll((pointIds) => {
        const now = Date.now()
        for (const pointId of pointIds) {
          const reading = values.get(pointId)
          if (reading) note(Math.min(reading.at, now), SIMULATION_SOURCE)
        }
      }),
    [values, note],
  )
  useLiveEvent('building.point.updated', ({ observations }) => {
    const now = Date.now()
    for (const source of new Set(observations.map((observation) => observation.source))) note(now, source)
  })
  useNow()
  return last.current
}
