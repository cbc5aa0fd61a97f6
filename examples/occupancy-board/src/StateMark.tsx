import type { ReactNode } from 'react'
import type { State } from './occupancy.ts'
import styles from './StateMark.module.css'
import { useLocalization } from './words.ts'

/** Each state has its own shape: a circle that is empty, half filled, with a dot, or filled, or a question mark. */
const FORMS: Record<State, ReactNode> = {
  free: <circle cx="6" cy="6" r="4.75" className={styles.line} />,
  filling: (
    <>
      <circle cx="6" cy="6" r="4.75" className={styles.line} />
      <path d="M6 1.25a4.75 4.75 0 0 1 0 9.5z" className={styles.fill} />
    </>
  ),
  used: (
    <>
      <circle cx="6" cy="6" r="4.75" className={styles.line} />
      <circle cx="6" cy="6" r="2" className={styles.fill} />
    </>
  ),
  full: <circle cx="6" cy="6" r="5.5" className={styles.fill} />,
  unknown: <path d="M4 4.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M6 9.6v.6" className={styles.line} />,
}

export function StateMark({ state }: { state: State }): ReactNode {
  return (
    <span className={styles.mark} data-state={state}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {FORMS[state]}
      </svg>
      {useLocalization().words.states[state]}
    </span>
  )
}

/** A bar, hidden from screen readers, because the text beside it has the same information. */
export function Bar({ share, state }: { share: number; state: State | 'all' }): ReactNode {
  return (
    <svg className={styles.bar} viewBox="0 0 100 6" preserveAspectRatio="none" data-state={state} aria-hidden="true">
      <rect width="100" height="6" className={styles.track} />
      <rect width={Math.min(100, share * 100)} height="6" className={styles.fill} />
    </svg>
  )
}
