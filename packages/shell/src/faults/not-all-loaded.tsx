import { Note, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import styles from './faults.module.css'
import { faultTexts } from './texts.ts'

interface NotAllLoadedProps {
  shown: number
  /** Which faults the table has. */
  which?: 'newest' | 'mostSevere'
  total: number
  /** A button that loads more. */
  children?: ReactNode
}

/** Shown if there are more faults than the table has loaded. The filters of the table find only loaded faults. */
export function NotAllLoaded({ shown, which = 'newest', total, children }: NotAllLoadedProps): ReactNode {
  const t = useTexts(faultTexts)
  if (total <= shown) return null
  return (
    <div className={styles.notice}>
      <Note>
        <span className={styles.noticeText}>
          {t(which, { n: shown, total })}
          {children}
        </span>
      </Note>
    </div>
  )
}
