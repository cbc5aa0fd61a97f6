import type { RequestRecord } from '@storey/sdk'
import { Badge, type Column, Link, useFormat, useWords } from '@storey/web'
import { useBuildingTimes } from '../building/building-times.ts'
import { Place } from './place.tsx'
import styles from './requests.module.css'
import { PRIORITY_LOOKS, SLA_LOOKS, STATE_LOOKS } from './states.ts'
import { requestWords } from './words.ts'

export function useRequestColumns(): Column<RequestRecord>[] {
  const t = useWords(requestWords)
  const format = useFormat()
  const times = useBuildingTimes()
  return [
    { key: 'number', title: t('number'), cell: ({ number }) => <span className={styles.number}>{number}</span> },
    {
      key: 'subject',
      title: t('subject'),
      isHeader: true,
      cell: ({ id, title, category }) => (
        <span className={styles.subject}>
          <Link to={`/requests/${id}`}>{title}</Link>
          <span className="st-quiet">{t(category)}</span>
        </span>
      ),
    },
    { key: 'place', title: t('place'), cell: (row) => <Place request={row} /> },
    {
      key: 'priority',
      title: t('priority'),
      cell: ({ priority }) => <Badge {...PRIORITY_LOOKS[priority]}>{t(priority)}</Badge>,
    },
    { key: 'state', title: t('state'), cell: ({ state }) => <Badge {...STATE_LOOKS[state]}>{t(state)}</Badge> },
    {
      key: 'due',
      title: t('due'),
      cell: ({ dueAt, slaState, state }) => (
        <span className={styles.due}>
          <time dateTime={dueAt}>{times.dateTime(dueAt)}</time>
          {slaState === 'on_time' || state === 'cancelled' ? null : (
            <Badge {...SLA_LOOKS[slaState]}>{t(slaState)}</Badge>
          )}
        </span>
      ),
    },
    {
      key: 'updated',
      title: t('updated'),
      cell: ({ updatedAt }) => (
        <time dateTime={updatedAt} title={times.dateTime(updatedAt)}>
          {format.relative(updatedAt)}
        </time>
      ),
    },
  ]
}
