import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import styles from './faults.module.css'
import { faultTexts } from './texts.ts'

/** Shown below a table: the total number of faults, and a button for more as `children`. */
export function TableFooter({ total, children }: { total: number; children?: ReactNode }): ReactNode {
  const t = useTexts(faultTexts)
  return (
    <div className={styles.foot}>
      <span className="st-quiet" role="status">
        {t('count', { n: total })}
      </span>
      {children}
    </div>
  )
}
