import type { ReactNode } from 'react'
import type { Severity } from '../faults/severities.ts'
import styles from './fault-marks.module.css'

/** The shape of each severity, on a 16 × 16 grid. Severities differ in shape and not only in colour. */
export const SEVERITY_SHAPES: Record<Severity, string> = {
  critical: 'M5.2 1.4h5.6l3.8 3.8v5.6l-3.8 3.8H5.2l-3.8-3.8V5.2z',
  major: 'M8 1.6 15.2 14.2H.8z',
  minor: 'M8 .9 15.1 8 8 15.1.9 8z',
  info: 'M8 14.6A6.6 6.6 0 1 0 8 1.4a6.6 6.6 0 0 0 0 13.2z',
}

/** Inside the shape: an exclamation mark, or an “i”, while the fault is open; a check mark when it is acknowledged. */
export const SIGN_PATHS: Record<Severity, { open: string; acknowledged: string }> = {
  critical: { open: 'M8 4.4v4.2M8 11.2v.2', acknowledged: 'm5 8.3 2.1 2 3.9-4.2' },
  major: { open: 'M8 6.4v3.4M8 12v.1', acknowledged: 'm5.7 10.4 1.7 1.6 3-3.3' },
  minor: { open: 'M8 4.8v3.8M8 11v.2', acknowledged: 'm5.2 8.3 2 1.9 3.6-3.9' },
  info: { open: 'M8 7.4v3.6M8 4.8V5', acknowledged: 'm5 8.3 2.1 2 3.9-4.2' },
}

interface SeverityMarkProps {
  severity: Severity
  isAcknowledged?: boolean
  size?: number
}

/**
 * The mark of a fault: filled while the fault is open, an outline when the fault is acknowledged. Screen readers ignore
 * the mark, so there must be a text beside it.
 */
export function SeverityMark({ severity, isAcknowledged = false, size = 16 }: SeverityMarkProps): ReactNode {
  return (
    <svg
      className={styles.mark}
      data-severity={severity}
      data-acknowledged={isAcknowledged ? '' : undefined}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <path className={styles.shape} d={SEVERITY_SHAPES[severity]} />
      <path className={styles.sign} d={SIGN_PATHS[severity][isAcknowledged ? 'acknowledged' : 'open']} />
    </svg>
  )
}
