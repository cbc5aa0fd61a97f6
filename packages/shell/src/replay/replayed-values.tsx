import type { PointNode } from '@storey/sdk'
import { ErrorPanel, useLoad, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { perText } from '../charts/duration-text.ts'
import { GivenValue } from '../points/live-value.tsx'
import { listedPoints, PointList } from '../points/point-list.tsx'
import type { Player } from './player.ts'
import { intervalOf } from './read-frames.ts'
import { readPointFrames } from './read-point-frames.ts'
import { replayTexts } from './texts.ts'
import type { ReplaySession } from './use-replay.ts'

interface ReplayedValuesProps {
  session: Pick<ReplaySession, 'window' | 'player'>
  points: readonly PointNode[]
}

/** The values that the points of a room had at the time that the replay shows. */
export function ReplayedValues({ session, points }: ReplayedValuesProps): ReactNode {
  const { window, player } = session
  const t = useTexts(replayTexts)
  const locale = useLocale()
  const { api } = useShell()
  const listed = listedPoints(points)
  const ids = listed.map(({ id }) => id)
  const key = ['replayed-values', api.buildingId, ids, window.from, window.to, window.interval]
  const { data, error, reload } = useLoad(key, (abort) => readPointFrames(api, listed, window, abort))
  const frame = useShownFrame(player)
  const per = perText(intervalOf('consumed', window).intervalMs, locale)
  return (
    <>
      <ErrorPanel error={error} onRetry={reload} />
      <PointList
        points={points}
        showValue={(point) => {
          const value = data?.valueAt(point.id, frame)
          const isConsumed = data?.kindOf(point.id) === 'consumed'
          return (
            <GivenValue
              point={point}
              value={value === undefined ? undefined : String(value)}
              per={isConsumed ? ` ${t('per', { interval: per })}` : undefined}
            />
          )
        }}
      />
    </>
  )
}

/** The minimum time between two updates during playback. Nobody can read numbers that change more often. */
const MIN_MS = 250

/** The frame that a replay shows. While the replay plays, the frame is updated at most every `MIN_MS`. */
function useShownFrame(player: Player): number {
  const [frame, setFrame] = useState(player.frame)
  useEffect(() => {
    let last = 0
    const update = () => {
      const now = performance.now()
      if (player.isPlaying && now - last < MIN_MS) return
      last = now
      setFrame(player.frame)
    }
    setFrame(player.frame)
    const unsubscribe = [player.onFrame(update), player.onChange(update)]
    return () => {
      for (const end of unsubscribe) end()
    }
  }, [player])
  return frame
}
