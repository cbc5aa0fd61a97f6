import type { FaultRecord, SpaceNode } from '@storey/sdk'
import { setQuery, useLoad, useLocale, useRoute, useTexts } from '@storey/web'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { perText } from '../charts/duration-text.ts'
import type { Signal } from '../colouring/signals.ts'
import type { ColouringChoice } from '../colouring/use-colouring.ts'
import { useSignalTexts } from '../colouring/use-signal-texts.ts'
import { type Detection, detectionsIn, readFaults } from './faults-in-time.ts'
import { createPlayer, type Player } from './player.ts'
import { intervalOf, readFrames } from './read-frames.ts'
import { type ReplayColouring, replayColouring } from './replay-colouring.ts'
import { replayTexts } from './texts.ts'
import { useActiveFaults } from './use-active-faults.ts'
import { frameAt, isReplayRange, type ReplayRange, type ReplayWindow, timeOf, windowFor } from './window.ts'

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
  /** The faults of the storey. */
  detections: readonly Detection[]
  isLoading: boolean
  error: unknown
  reload(): void
  choose(range: ReplayRange): void
}

/** How long the whole range takes at speed 1. */
const DURATION_MS = 24_000
/** The address follows when the replay has been at a moment for this long. */
const ADDRESS_MS = 300

/** The replay of the plan. Its range and the moment that it shows are in the address: `replay` and `at`. */
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
  const active = useActiveFaults(faults, window, player)
  const mayPlay = useRef(false)

  // Shows the frame before the plan paints the new colouring.
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

interface PlayedWindow {
  window: ReplayWindow | undefined
  player: Player | undefined
  choose(range: ReplayRange): void
}

/** The window of the range that includes the wanted moment, and its player. */
function useWindow(range: ReplayRange | undefined, wanted: number | undefined): PlayedWindow {
  const [anchor, setAnchor] = useState(wanted)
  const window = useMemo(() => range && windowFor(range, Date.now(), anchor), [range, anchor])
  const first = useRef(wanted)
  first.current = wanted
  const player = useMemo(
    () =>
      window &&
      createPlayer({
        count: window.count,
        start: first.current === undefined ? 0 : frameAt(window, first.current),
        durationMs: DURATION_MS,
        requestFrame(callback) {
          const request = requestAnimationFrame(callback)
          return () => cancelAnimationFrame(request)
        },
      }),
    [window],
  )
  useEffect(() => {
    if (!window || !player) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = player.onChange(() => {
      clearTimeout(timer)
      if (player.isPlaying) return
      timer = setTimeout(() => setQuery({ at: isoOf(timeOf(window, player.frame)) }), ADDRESS_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
      player.close()
    }
  }, [window, player])

  // The address can also change by a link or by the browser's buttons.
  useEffect(() => {
    if (!window || !player || player.isPlaying || wanted === undefined) return
    if (wanted < window.from) setAnchor(wanted)
    else if (frameAt(window, wanted) !== player.frame) player.seek(frameAt(window, wanted))
  }, [window, player, wanted])

  return {
    window,
    player,
    choose(next) {
      const at = window && player ? timeOf(window, player.frame) : undefined
      setAnchor(at)
      setQuery({ replay: next, at: at === undefined ? null : isoOf(at) })
    },
  }
}

const isoOf = (at: number) => new Date(at).toISOString()

/** Loads the values of the rooms, and colours the plan by them. */
function useFrames(window: ReplayWindow | undefined, signal: Signal | undefined, spaces: readonly SpaceNode[]) {
  const { api } = useShell()
  const locale = useLocale()
  const t = useTexts(replayTexts)
  const textsOf = useSignalTexts()
  const key = window && signal ? [window.from, window.to, window.interval, signal.id, spaces[0]?.storeyId] : null
  const { data, error, isLoading, reload } = useLoad(['replay', api.buildingId, key], async (abort) => {
    if (!window || !signal) return null
    const ids = spaces.map(({ id }) => id)
    return { window, signal, frames: await readFrames(api, signal, ids, window, abort) }
  })
  const colouring = useMemo(() => {
    if (!data) return undefined
    const texts = textsOf(data.signal)
    if (data.frames.kind === 'consumed') {
      const interval = perText(intervalOf('consumed', data.window).intervalMs, locale)
      texts.unit = t('perInterval', { unit: texts.unit, interval })
    }
    return replayColouring(data.signal, data.frames, data.window, texts)
  }, [data, textsOf, locale, t])
  const isCurrent = window !== undefined && data?.window.from === window.from && data.window.range === window.range
  return { colouring: isCurrent ? colouring : undefined, error, isLoading: isLoading && key !== null, reload }
}

const NO_FAULTS: readonly FaultRecord[] = []

/** The faults of the storey in the window. */
function useStoreyFaults(window: ReplayWindow | undefined, spaces: readonly SpaceNode[]): readonly FaultRecord[] {
  const { api } = useShell()
  const model = useBuildingData()
  const key = window ? [window.from, window.to] : null
  const { data } = useLoad(
    ['replay-faults', api.buildingId, key],
    async (signal) => (window ? await readFaults(api, window, signal) : NO_FAULTS),
    { changes: 'faults' },
  )
  const storeyId = spaces[0]?.storeyId
  return useMemo(
    () =>
      (data ?? NO_FAULTS).filter((fault) => model.storeyOf(fault.pointId ?? fault.elementId ?? '')?.id === storeyId),
    [data, model, storeyId],
  )
}
