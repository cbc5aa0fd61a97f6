import { LoadingState, nodeName, useLocale, useTexts, withNames } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { shellTexts } from '../app/texts.ts'
import { firstPlan, type StoreyPreview } from '../building/storey-preview.ts'
import { Plan } from '../plan/plan.tsx'
import styles from './storey-plan.module.css'

/** The plan while the building is loading: the rooms of one storey, without values. */
export default function PlanPreview(): ReactNode {
  const t = useTexts(shellTexts)
  const { api } = useShell()
  const locale = useLocale()
  const [preview, setPreview] = useState<StoreyPreview>()
  useEffect(() => {
    let isShown = true
    void firstPlan(api).preview.then((read) => isShown && setPreview(read))
    return () => {
      isShown = false
    }
  }, [api])
  useEffect(() => {
    if (!preview) return
    // A timeout runs after the frame has been painted.
    const frame = requestAnimationFrame(() => setTimeout(firstPlan(api).noteDrawn))
    return () => cancelAnimationFrame(frame)
  }, [api, preview])
  if (!preview) {
    return (
      <main id="main" tabIndex={-1}>
        <LoadingState text={t('loadingBuilding')} />
      </main>
    )
  }
  const spaces = withNames('space', preview.spaces, locale)
  const name = nodeName('storey', preview.storey.name, locale)
  return (
    <main id="main" className={styles.page} tabIndex={-1} aria-busy="true">
      <div className={styles.side}>
        <LoadingState text={t('loadingBuilding')} />
      </div>
      <div className={styles.middle}>
        <div className={styles.heading}>
          <div>
            <h1>{name}</h1>
            <p className="st-quiet">{t('rooms', { n: spaces.length })}</p>
          </div>
        </div>
        <div />
        <Plan label={t('planOf', { storey: name })} outline={preview.storey.polygon} spaces={spaces} />
      </div>
    </main>
  )
}
