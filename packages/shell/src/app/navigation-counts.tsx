import { useFormat, useLoad, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import { useFaultCounts } from '../fault-marks/use-fault-index.ts'
import { SEVERITIES } from '../faults/severities.ts'
import styles from './navigation.module.css'
import { useShell } from './shell.ts'
import { shellTexts } from './texts.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 30_000
const MAX_SHOWN = 999

/** How many faults are open, or how many requests are overdue. Only the pages of faults and requests have a count. */
export function NavigationCount({ path }: { path: string }): ReactNode {
  if (path === '/faults') return <OpenFaults />
  if (path === '/requests') return <OverdueRequests />
  return null
}

function OpenFaults(): ReactNode {
  const t = useTexts(shellTexts)
  const open = useFaultCounts()?.open
  const worst = open && SEVERITIES.find((severity) => open[severity] > 0)
  if (!open || !worst) return null
  const n = SEVERITIES.reduce((sum, severity) => sum + open[severity], 0)
  return <Count n={n} text={t('openFaultCount', { n })} sign={<SeverityMark severity={worst} size={14} />} />
}

function OverdueRequests(): ReactNode {
  const t = useTexts(shellTexts)
  const n = useOverdueRequests()
  if (!n) return null
  return <Count n={n} text={t('overdueCount', { n })} sign={<span className={styles.dot} />} />
}

/** The number of overdue requests; undefined until it is loaded. */
export function useOverdueRequests(): number | undefined {
  const { client, buildingId } = useShell()
  const query = { buildingId, overdue: true, limit: 1 }
  const { data } = useLoad(['requests', query], (signal) => client.requests.list(query, { signal }), {
    pollMs: () => POLL_MS,
    changes: 'requests',
  })
  return data?.total
}

function Count({ n, text, sign }: { n: number; text: string; sign: ReactNode }): ReactNode {
  const format = useFormat()
  return (
    <span className={styles.count} title={text}>
      {sign}
      <span className={styles.number} aria-hidden="true">
        {n > MAX_SHOWN ? `${MAX_SHOWN}+` : format.number(n)}
      </span>
      <span className="st-visually-hidden">{text}</span>
    </span>
  )
}
