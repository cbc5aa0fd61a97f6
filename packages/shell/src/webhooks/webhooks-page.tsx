import type { WebhookRecord } from '@storey/sdk'
import {
  Badge,
  ButtonLink,
  type DataColumn,
  DataTable,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  useFormat,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { STATE_BADGES, STATES, stateOf } from './states.ts'
import { webhookTexts } from './texts.ts'
import { useWebhooks } from './use-webhooks.ts'
import styles from './webhooks.module.css'

export default function WebhooksPage(): ReactNode {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const access = useApiAccess()
  const mayRead = access.may('platform.webhooks:read')
  const { data, error, reload } = useWebhooks(mayRead)
  const newButton = access.may('platform.webhooks:write') ? (
    <ButtonLink kind="primary" icon="plus" to="/webhooks/new" label={t('newWebhook')} />
  ) : null
  const columns: DataColumn<WebhookRecord>[] = [
    {
      key: 'url',
      title: t('url'),
      isHeader: true,
      value: ({ url }) => url,
      cell: ({ id, url }) => (
        <Link className={styles.url!} to={`/webhooks/${id}`}>
          {url}
        </Link>
      ),
    },
    {
      key: 'status',
      title: t('status'),
      value: stateOf,
      filter: 'choice',
      choices: STATES.map((value) => ({ value, label: t(value) })),
      cell: (row) => <Badge {...STATE_BADGES[stateOf(row)]}>{t(stateOf(row))}</Badge>,
    },
    {
      key: 'events',
      title: t('events'),
      value: ({ events }) => events.join(', '),
      cell: ({ events }) => <EventNames events={events} />,
    },
    {
      key: 'failures',
      title: t('failures'),
      isNumeric: true,
      value: ({ consecutiveFailures }) => consecutiveFailures,
      cell: ({ consecutiveFailures }) => format.number(consecutiveFailures),
    },
    {
      key: 'created',
      title: t('created'),
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <time dateTime={createdAt}>{times.dateTime(createdAt)}</time>,
    },
  ]
  return (
    <Page title={t('title')} lead={t('lead')} actions={newButton} wide>
      <AccessNote access={access} permission="platform.webhooks:write">
        {t(mayRead ? 'whoMayWrite' : 'whoMayRead')}
      </AccessNote>
      <ErrorPanel error={error} onRetry={reload} />
      {data && mayRead ? (
        <Panel flush>
          <DataTable
            name="webhooks"
            search
            caption={t('title')}
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            empty={<EmptyState icon="send" title={t('none')} text={t('noneText')} action={newButton} />}
          />
        </Panel>
      ) : mayRead && error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

export function EventNames({ events }: { events: readonly string[] }): ReactNode {
  return (
    <span className={styles.events}>
      {events.map((event) => (
        <code key={event}>{event}</code>
      ))}
    </span>
  )
}
