import { LoadingState, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { shellTexts } from '../app/texts.ts'
import { readStoreyPreview, type StoreyPreview } from '../building/storey-preview.ts'
import { Plan } from '../plan/plan.tsx'
import styles from './storey-plan.module.css'

/** Most graphs arrive sooner. While a larger one is loading, its storey is read by itself. */
const READ_AFTER_MS = 250

/** The plan while the building is loading: the rooms of one storey, without values. */
export default function PlanPreview(): ReactNode {
  const t = useTexts(shellTexts)
  const { api } = useShell()
  const [preview, setPreview] = useState<StoreyPreview>()
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const timer = setTimeout(() => {
      const query = new URLSearchParams(location.search)
      // If the storey cannot be read, the read of the graph reports why.
      readStoreyPreview(api, query, signal).then(setPreview, () => undefined)
    }, READ_AFTER_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [api])
  if (!preview) {
    return (
      <main id="main" tabIndex={-1}>
        <LoadingState text={t('loadingBuilding')} />
      </main>
    )
  }
  const { storey, spaces } = preview
  return (
    <main id="main" className={styles.page} tabIndex={-1} aria-busy="true">
      <div className={styles.side}>
        <LoadingState text={t('loadingBuilding')} />
      </div>
      <div className={styles.middle}>
        <div className={styles.heading}>
          <div>
            <h1>{storey.name}</h1>
            <p className="st-quiet">{t('rooms', { n: spaces.length })}</p>
          </div>
        </div>
        <div />
        <Plan label={t('planOf', { storey: storey.name })} outline={storey.polygon} spaces={spaces} />
      </div>
    </main>
  )
}
