import { useWords } from '@storey/web'
import type { ReactNode } from 'react'
import styles from './faults.module.css'
import { faultWords } from './words.ts'

/** How many there are, below the table. */
export function Foot({ total, children }: { total: number; children?: ReactNode }): ReactNode {
  const t = useWords(faultWords)
  return (
    <div className={styles.foot}>
      <span className="st-quiet" role="status">
        {t('count', { n: total })}
      </span>
      {children}
    </div>
  )
}
