import { setQuery } from '@storey/web'
import { useEffect, useMemo, useRef, useState } from 'react'
import { createPlayer, type Player } from './player.ts'
import { frameAt, type ReplayRange, type ReplayWindow, timeOf, windowFor } from './window.ts'

/** How long it takes to play the whole range at speed 1. */
const DURATION_MS = 24_000
/** The moment is written into the address when the replay has been paused at it for this long. */
const ADDRESS_MS = 300

export interface PlayedWindow {
  window: ReplayWindow | undefined
  player: Player | undefined
  choose(range: ReplayRange): void
}

/** The window of this range that includes the moment `wanted`, and the player of the window. */
export function useWindow(range: ReplayRange | undefined, wanted: number | undefined): PlayedWindow {
  /** The moment that the window must include; undefined if the window ends at the current time. */
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

  // A closed replay forgets its anchor, so that the range ends at the current time when the replay is opened again.
  useEffect(() => {
    if (range === undefined) setAnchor(undefined)
  }, [range])

  // The address can also change by a link or by the browser's buttons.
  useEffect(() => {
    if (!window || !player || player.isPlaying || wanted === undefined) return
    const isOutside = wanted < window.from || wanted >= window.to
    if (isOutside && wanted !== anchor) setAnchor(wanted)
    else if (frameAt(window, wanted) !== player.frame) player.seek(frameAt(window, wanted))
  }, [window, player, wanted, anchor])

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
