import type { RequestRecord } from '@storey/sdk'
import { Badge, type Column, Link, useFormat, useTexts } from '@storey/web'
import { useBuildingTimes } from '../building/building-times.ts'
import { RequestLocation } from './request-location.tsx'
import styles from './requests.module.css'
import { PRIORITY_BADGES, SLA_BADGES, STATE_BADGES } from './states.ts'
import { requestTexts } from './texts.ts'

export function useRequestColumns(): Column<RequestRecord>[] {
  const t = useTexts(requestTexts)
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
    { key: 'place', title: t('place'), cell: (row) => <RequestLocation request={row} /> },
    {
      key: 'priority',
      title: t('priority'),
      cell: ({ priority }) => <Badge {...PRIORITY_BADGES[priority]}>{t(priority)}</Badge>,
    },
    { key: 'state', title: t('state'), cell: ({ state }) => <Badge {...STATE_BADGES[state]}>{t(state)}</Badge> },
    {
      key: 'due',
      title: t('due'),
      cell: ({ dueAt, slaState, state }) => (
        <span className={styles.due}>
          <time dateTime={dueAt}>{times.dateTime(dueAt)}</time>
          {slaState === 'on_time' || state === 'cancelled' ? null : (
            <Badge {...SLA_BADGES[slaState]}>{t(slaState)}</Badge>
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
