import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import styles from './plan.module.css'
import type { ViewControl } from './use-view.ts'

const STEP = 1.4
const ICONS = {
  in: 'M8 3v10M3 8h10',
  out: 'M3 8h10',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
} as const

export function ZoomButtons({ view }: { view: ViewControl }): ReactNode {
  const t = useTexts(shellTexts)
  return (
    <div className={styles.buttons}>
      <ZoomButton icon="in" label={t('zoomIn')} onClick={() => view.zoom(STEP)} />
      <ZoomButton icon="out" label={t('zoomOut')} onClick={() => view.zoom(1 / STEP)} />
      <ZoomButton icon="fit" label={t('zoomFit')} onClick={view.fit} />
    </div>
  )
}

function ZoomButton(props: { icon: keyof typeof ICONS; label: string; onClick(): void }): ReactNode {
  return (
    <button
      type="button"
      className="st-button st-button-plain st-button-icon"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" strokeWidth={1.6} aria-hidden>
        <path d={ICONS[props.icon]} />
      </svg>
    </button>
  )
}
