import { Button, ErrorPanel, Icon, Spinner, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { DetectedFaults } from './detected-faults.tsx'
import { nextDetection, previousDetection } from './faults-in-time.ts'
import type { Player } from './player.ts'
import styles from './replay.module.css'
import { ReplayClock } from './replay-clock.tsx'
import { ReplaySlider } from './replay-slider.tsx'
import { replayTexts } from './texts.ts'
import { usePlayerState } from './use-player-state.ts'
import type { Replay, ReplaySession } from './use-replay.ts'
import { REPLAY_RANGES, type ReplayRange } from './window.ts'

const SPEEDS = [0.5, 1, 2, 4]

/** The controls of an active replay. */
export default function ReplayControls({ replay, session }: { replay: Replay; session: ReplaySession }): ReactNode {
  const t = useTexts(replayTexts)
  const shell = useTexts(shellTexts)
  const { window, player, detections, isLoading, error, reload } = session
  const { isPlaying, frame, speed } = usePlayerState(player)
  const [previous, next] = [previousDetection(detections, frame), nextDetection(detections, frame)]
  const hasValues = replay.colouring === undefined || replay.colouring.tones.length > 0
  return (
    <section className={styles.bar} aria-label={t('controls')}>
      <div className={styles.row}>
        <div className={styles.buttons}>
          <Button
            icon={isPlaying ? 'pause' : 'play'}
            iconOnly
            kind="primary"
            label={t(isPlaying ? 'pause' : 'play')}
            disabled={!replay.colouring}
            onClick={() => (isPlaying ? player.pause() : player.play())}
          />
          <StepButton icon="stepBack" player={player} by={-1} />
          <StepButton icon="stepOn" player={player} by={1} />
        </div>
        <ReplayClock window={window} player={player} />
        {isLoading ? (
          <span className={styles.loading}>
            <Spinner /> {t('loading')}
          </span>
        ) : null}
        <div className={styles.faults}>
          <Button
            small
            icon="previous"
            iconOnly
            label={t('previousFault')}
            disabled={previous === undefined}
            onClick={() => player.seek(previous!)}
          />
          <span>{detections.length === 0 ? t('noFaults') : t('faults', { n: detections.length })}</span>
          <Button
            small
            icon="next"
            iconOnly
            label={t('nextFault')}
            disabled={next === undefined}
            onClick={() => player.seek(next!)}
          />
        </div>
        <div className={styles.options}>
          <fieldset className="st-segments" aria-label={t('range')}>
            {(Object.keys(REPLAY_RANGES) as ReplayRange[]).map((one) => (
              <button key={one} type="button" aria-pressed={one === window.range} onClick={() => session.choose(one)}>
                {shell(one)}
              </button>
            ))}
          </fieldset>
          <span className="st-select">
            <select
              aria-label={t('speed')}
              value={speed}
              onChange={(event) => player.setSpeed(Number(event.target.value))}
            >
              {SPEEDS.map((one) => (
                <option key={one} value={one}>
                  {one}×
                </option>
              ))}
            </select>
            <Icon name="chevron" size={12} />
          </span>
          <Button small icon="cross" iconOnly kind="quiet" label={t('close')} onClick={replay.stop} />
        </div>
      </div>
      <ErrorPanel error={error} onRetry={reload} />
      {hasValues ? null : <p className="st-quiet">{t('empty', { signal: replay.signal!.name })}</p>}
      <ReplaySlider session={session} colouring={replay.colouring} />
      <DetectedFaults session={session} frame={frame} />
    </section>
  )
}

function StepButton({ icon, player, by }: { icon: 'stepBack' | 'stepOn'; player: Player; by: number }): ReactNode {
  const t = useTexts(replayTexts)
  return <Button icon={icon} iconOnly label={t(icon)} onClick={() => player.seek(player.frame + by)} />
}
