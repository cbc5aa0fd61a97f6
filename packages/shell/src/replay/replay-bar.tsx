import { Button, LoadingState, useTexts } from '@storey/web'
import { lazy, type ReactNode, Suspense } from 'react'
import styles from './replay.module.css'
import { replayTexts } from './texts.ts'
import type { Replay } from './use-replay.ts'

/** The code of the controls is loaded when the controls are first shown. */
const ReplayControls = lazy(() => import('./replay-controls.tsx'))

/** Shows the controls of the replay under the plan or, while the plan shows live values, a button that starts it. */
export function ReplayBar({ replay }: { replay: Replay }): ReactNode {
  const t = useTexts(replayTexts)
  const { session, signal } = replay
  if (!signal) return null
  if (session) {
    return (
      <Suspense fallback={<LoadingState />}>
        <ReplayControls replay={replay} session={session} />
      </Suspense>
    )
  }
  return (
    <div className={styles.closed}>
      <Button small icon="play" label={t('replay')} onClick={replay.start} />
      <span className="st-quiet">{t('replayHint', { signal: signal.name })}</span>
    </div>
  )
}
