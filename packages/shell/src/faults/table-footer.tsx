import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import styles from './faults.module.css'
import { faultTexts } from './texts.ts'

/** The number of faults below the table. */
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
