import type { FaultRecord } from '@storey/sdk'
import { useEffect, useState } from 'react'
import { faultsAt } from './faults-in-time.ts'
import type { Player } from './player.ts'
import type { ReplayWindow } from './window.ts'

const NONE: readonly FaultRecord[] = []
/** While the replay plays, the marks change at most once in this time, because React renders each change. */
const MIN_INTERVAL_MS = 250

/** The faults that were active at the moment that the replay shows. */
export function useReplayedFaults(
  faults: readonly FaultRecord[],
  window: ReplayWindow | undefined,
  player: Player | undefined,
): readonly FaultRecord[] {
  const [active, setActive] = useState(NONE)
  useEffect(() => {
    if (!window || !player) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const update = () => {
      timer = undefined
      const next = faultsAt(faults, window, player.frame)
      setActive((before) => (areEqual(before, next) ? before : next))
    }
    update()
    const end = player.onFrame(() => {
      if (player.isPlaying) timer ??= setTimeout(update, MIN_INTERVAL_MS)
      else {
        clearTimeout(timer)
        update()
      }
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [faults, window, player])
  return active
}

const areEqual = (a: readonly FaultRecord[], b: readonly FaultRecord[]) =>
  a.length === b.length && a.every(({ id, state }, i) => id === b[i]!.id && state === b[i]!.state)
