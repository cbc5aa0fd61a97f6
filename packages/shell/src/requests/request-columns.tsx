import type { RequestRecord } from '@storey/sdk'
import { Badge, type DataColumn, Link, useFormat, useTexts } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { RequestLocation } from './request-location.tsx'
import styles from './requests.module.css'
import { PRIORITIES, PRIORITY_BADGES, SLA_BADGES, STATE_BADGES, STATES } from './states.ts'
import { requestTexts } from './texts.ts'

export function useRequestColumns(): DataColumn<RequestRecord>[] {
  const t = useTexts(requestTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const building = useBuildingData()
  return useMemo(
    () => [
      {
        key: 'number',
        title: t('number'),
        value: ({ number }) => number,
        cell: ({ number }) => <span className={styles.number}>{number}</span>,
      },
      {
        key: 'subject',
        title: t('subject'),
        isHeader: true,
        value: ({ title }) => title,
        cell: ({ id, title, category }) => (
          <span className={styles.subject}>
            <Link to={`/requests/${id}`}>{title}</Link>
            <span className="st-quiet">{t(category)}</span>
          </span>
        ),
      },
      { key: 'category', title: t('category'), isOptional: true, value: ({ category }) => t(category) },
      {
        key: 'place',
        title: t('place'),
        value: ({ elementId, spaceId, storeyId }) => {
          const found =
            building.element(elementId ?? '') ?? building.space(spaceId ?? '') ?? building.storey(storeyId ?? '')
          return found?.name ?? t('wholeBuilding')
        },
        cell: (row) => <RequestLocation request={row} />,
      },
      {
        key: 'priority',
        title: t('priority'),
        choices: PRIORITIES.map((value) => ({ value, label: t(value) })),
        value: ({ priority }) => priority,
        cell: ({ priority }) => <Badge {...PRIORITY_BADGES[priority]}>{t(priority)}</Badge>,
      },
      {
        key: 'state',
        title: t('state'),
        choices: STATES.map((value) => ({ value, label: t(value) })),
        value: ({ state }) => state,
        cell: ({ state }) => <Badge {...STATE_BADGES[state]}>{t(state)}</Badge>,
      },
      {
        key: 'due',
        title: t('due'),
        value: ({ dueAt }) => dueAt,
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
        value: ({ updatedAt }) => updatedAt,
        cell: ({ updatedAt }) => (
          <time dateTime={updatedAt} title={times.dateTime(updatedAt)}>
            {format.relative(updatedAt)}
          </time>
        ),
      },
    ],
    [t, format, times, building],
  )
}
