import type { SpaceNode } from '@storey/sdk'
import { useLoad, useLocale, useTexts } from '@storey/web'
import { useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { perText } from '../charts/duration-text.ts'
import type { Signal } from '../colouring/signals.ts'
import { useSignalTexts } from '../colouring/use-signal-texts.ts'
import { intervalOf, readFrames } from './read-frames.ts'
import { replayColouring } from './replay-colouring.ts'
import { replayTexts } from './texts.ts'
import type { ReplayWindow } from './window.ts'

/** Loads the values of the rooms, and colours the plan by them. */
export function useFrames(window: ReplayWindow | undefined, signal: Signal | undefined, spaces: readonly SpaceNode[]) {
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
