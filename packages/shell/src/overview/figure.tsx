import { Link } from '@storey/web'
import type { ReactNode } from 'react'
import styles from './overview.module.css'

interface FigureProps {
  label: string
  /** Undefined while it is loading. */
  value: ReactNode | undefined
  unit?: string | undefined
  /** Below the value. */
  children?: ReactNode
  /** The page that explains the figure. */
  to?: string | undefined
  tone?: 'bad' | undefined
}

/** A figure of the building. Its label is a link if `to` is given. */
export function Figure({ label, value, unit, children, to, tone }: FigureProps): ReactNode {
  return (
    <li className={styles.figure}>
      <h2>{to === undefined ? label : <Link to={to}>{label}</Link>}</h2>
      <p className={styles.value} data-tone={tone} data-loading={value === undefined ? '' : undefined}>
        {value ?? '\u00a0'}
        {value !== undefined && unit ? <small>{`\u00a0${unit}`}</small> : null}
      </p>
      <div className={styles.detail}>{children}</div>
    </li>
  )
}
