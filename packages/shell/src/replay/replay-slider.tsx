import { useLocale, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import { SEVERITIES } from '../faults/severities.ts'
import { axisMarks } from './axis-marks.ts'
import type { Detection } from './faults-in-time.ts'
import styles from './replay.module.css'
import type { ReplayColouring } from './replay-colouring.ts'
import { ReplayStrip } from './replay-strip.tsx'
import { replayTexts } from './texts.ts'
import type { ReplaySession } from './use-replay.ts'
import { timeOf } from './window.ts'

interface ReplaySliderProps {
  session: ReplaySession
  colouring: ReplayColouring | undefined
}

/** The slider is moved without rendering by React, because it moves in every frame of the display. */
export function ReplaySlider({ session, colouring }: ReplaySliderProps): ReactNode {
  const { window, player, detections } = session
  const t = useTexts(replayTexts)
  const locale = useLocale()
  const times = useBuildingTimes()
  const { timezone } = useBuildingData().building
  const slider = useRef<HTMLInputElement>(null)
  const marks = useMemo(() => axisMarks(window, locale, timezone), [window, locale, timezone])
  useEffect(() => {
    const input = slider.current!
    let shown = -1
    const update = () => {
      if (player.frame === shown) return
      shown = player.frame
      input.value = String(shown)
      // A screen reader reads every change of this text, so the text does not change while the replay plays.
      if (!player.isPlaying) input.setAttribute('aria-valuetext', times.minute(timeOf(window, shown)))
    }
    update()
    const ends = [player.onFrame(update), player.onChange(update)]
    return () => {
      for (const end of ends) end()
    }
  }, [window, player, times])
  return (
    <div className={styles.track}>
      <div className={styles.rail}>
        {colouring ? <ReplayStrip colouring={colouring} count={window.count} /> : null}
        <FaultTicks detections={detections} count={window.count} />
        <input
          ref={slider}
          type="range"
          min={0}
          max={window.count - 1}
          defaultValue={player.frame}
          aria-label={t('time')}
          onInput={(event) => player.seek(event.currentTarget.valueAsNumber)}
        />
      </div>
      <div className={styles.axis} aria-hidden="true">
        {marks.map(({ place, label }) => (
          <span key={place} style={{ insetInlineStart: `${place * 100}%` }}>
            {label}
          </span>
        ))}
      </div>
    </div>
  )
}

/** A tick for each frame in which faults were detected. It shows the worst severity of these faults. */
function FaultTicks({ detections, count }: { detections: readonly Detection[]; count: number }): ReactNode {
  const ticks = useMemo(() => {
    const worst = new Map<number, number>()
    for (const { frame, fault } of detections) {
      worst.set(frame, Math.min(worst.get(frame) ?? SEVERITIES.length, SEVERITIES.indexOf(fault.severity)))
    }
    return [...worst]
  }, [detections])
  return ticks.map(([frame, severity]) => (
    <span key={frame} className={styles.tick} style={{ insetInlineStart: `${((frame + 0.5) / count) * 100}%` }}>
      <SeverityMark severity={SEVERITIES[severity]!} size={12} />
    </span>
  ))
}
