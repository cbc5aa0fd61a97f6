import type { FaultRecord, SpaceNode } from '@storey/sdk'
import { setQuery, useRoute } from '@storey/web'
import { useEffect, useMemo, useRef } from 'react'
import type { Signal } from '../colouring/signals.ts'
import type { ColouringChoice } from '../colouring/use-colouring.ts'
import { type Detection, detectionsIn } from './faults-in-time.ts'
import type { Player } from './player.ts'
import type { ReplayColouring } from './replay-colouring.ts'
import { useFrames } from './use-frames.ts'
import { useReplayedFaults } from './use-replayed-faults.ts'
import { useStoreyFaults } from './use-storey-faults.ts'
import { useWindow } from './use-window.ts'
import { isReplayRange, type ReplayRange, type ReplayWindow } from './window.ts'

export interface Replay {
  /** The signal that is or would be replayed; undefined if the building has none. */
  signal: Signal | undefined
  start(): void
  stop(): void
  /** Undefined while the plan shows live values. */
  session: ReplaySession | undefined
  /** Replaces the live colouring. Undefined while the plan shows live values, and until the values are loaded. */
  colouring: ReplayColouring | undefined
  /** The faults that were active at the time that is shown; undefined while the plan shows live values. */
  faults: readonly FaultRecord[] | undefined
}

export interface ReplaySession {
  window: ReplayWindow
  player: Player
  /** The faults of the storey that were detected in the window. */
  detections: readonly Detection[]
  isLoading: boolean
  error: unknown
  reload(): void
  choose(range: ReplayRange): void
}

/** The replay of the plan. In the URL, `replay` is its range, and `at` is the time at which it starts or was paused. */
export function useReplay(choice: ColouringChoice, spaces: readonly SpaceNode[]): Replay {
  const { query } = useRoute()
  const { signals, id } = choice
  const chosen = signals.find((one) => `live:${one.id}` === id)
  const signal = chosen ?? signals.find(({ isState }) => !isState) ?? signals[0]
  const requested = query.get('replay')
  const range = chosen && isReplayRange(requested) ? requested : undefined
  const { window, player, choose } = useWindow(range, instantIn(query.get('at')))
  const { colouring, ...loading } = useFrames(window, chosen, spaces)
  const faults = useStoreyFaults(window, spaces)
  const detections = useMemo(() => (window ? detectionsIn(faults, window) : []), [faults, window])
  const active = useReplayedFaults(faults, window, player)
  const mayPlay = useRef(false)

  // A new colouring has to be at the current frame when the plan is painted with it for the first time.
  useMemo(() => player && colouring?.show(player.frame, false), [player, colouring])
  useEffect(() => {
    if (!player || !colouring) return
    if (mayPlay.current) player.play()
    mayPlay.current = false
    return player.onFrame(() => colouring.show(player.frame, player.isPlaying))
  }, [player, colouring])

  return {
    signal,
    start() {
      mayPlay.current = true
      setQuery({ replay: 'day', at: null, ...(chosen || !signal ? {} : { colour: `live:${signal.id}` }) })
    },
    stop: () => setQuery({ replay: null, at: null }),
    session: window && player ? { window, player, detections, ...loading, choose } : undefined,
    colouring,
    faults: window ? active : undefined,
  }
}

const instantIn = (text: string | null): number | undefined => {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? undefined : at
}
