import { type ReactNode, useEffect, useRef } from 'react'
import { useBuildingTimes } from '../building/building-times.ts'
import type { Player } from './player.ts'
import styles from './replay.module.css'
import { type ReplayWindow, timeOf } from './window.ts'

/** The time of the shown frame of the replay, written into the DOM without rendering with React. */
export function ReplayClock({ window, player }: { window: ReplayWindow; player: Player }): ReactNode {
  const times = useBuildingTimes()
  const text = useRef<HTMLTimeElement>(null)
  useEffect(() => {
    let shown = -1
    const format = times.formatter([window.from, window.to], 'minute')
    const update = () => {
      if (player.frame === shown) return
      shown = player.frame
      text.current!.textContent = format(timeOf(window, shown))
    }
    update()
    return player.onFrame(update)
  }, [window, player, times])
  return <time ref={text} className={styles.clock} />
}
