import { ATTEMPT_STATUSES, LIMITS } from '@storey/contract'
import type { DeliveryRecord } from '@storey/sdk'
import {
  Badge,
  type DataColumn,
  DataTable,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Panel,
  useFormat,
  useRoute,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingTimes } from '../building/building-times.ts'
import { ATTEMPT_BADGES } from './states.ts'
import { webhookTexts } from './texts.ts'
import { useDeliveries } from './use-webhooks.ts'

/** The last attempts of a webhook. Each has a link to its delivery. */
export function Deliveries({ webhookId, isDeleting }: { webhookId: string; isDeleting: boolean }): ReactNode {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const { path, query } = useRoute()
  const { data, error, reload } = useDeliveries(webhookId, !isDeleting)
  /** The URL that opens a delivery on this page. It keeps the filters and the order of the table. */
  const urlOf = (deliveryId: string) => {
    const next = new URLSearchParams(query)
    next.set('delivery', deliveryId)
    return `${path}?${next}`
  }
  const columns: DataColumn<DeliveryRecord>[] = [
    {
      key: 'status',
      title: t('status'),
      value: ({ status }) => status,
      filter: 'choice',
      choices: ATTEMPT_STATUSES.map((value) => ({ value, label: t(value) })),
      cell: ({ status }) => <Badge {...ATTEMPT_BADGES[status]}>{t(status)}</Badge>,
    },
    {
      key: 'event',
      title: t('event'),
      isHeader: true,
      value: ({ event }) => event,
      filter: 'choice',
      cell: ({ deliveryId, event, attemptedAt }) => (
        <Link to={urlOf(deliveryId)} aria-label={t('openDelivery', { event, when: times.second(attemptedAt) })}>
          {event}
        </Link>
      ),
    },
    {
      key: 'response',
      title: t('response'),
      value: ({ httpCode, error }) => httpCode ?? error,
      cell: (attempt) => <ResponseText attempt={attempt} />,
    },
    { key: 'attempt', title: t('attempt'), isNumeric: true, value: ({ attempt }) => attempt },
    {
      key: 'duration',
      title: t('duration'),
      isNumeric: true,
      value: ({ durationMs }) => durationMs,
      cell: ({ durationMs }) => t('ms', { n: durationMs }),
    },
    {
      key: 'time',
      title: t('time'),
      value: ({ attemptedAt }) => attemptedAt,
      cell: ({ attemptedAt }) => <time dateTime={attemptedAt}>{times.second(attemptedAt)}</time>,
    },
    {
      key: 'next',
      title: t('next'),
      value: ({ nextAttemptAt }) => nextAttemptAt,
      cell: ({ nextAttemptAt }) =>
        nextAttemptAt === null ? null : (
          <time dateTime={nextAttemptAt} title={times.second(nextAttemptAt)}>
            {format.relative(nextAttemptAt)}
          </time>
        ),
    },
  ]
  const none = <EmptyState icon="send" title={t('noDeliveries')} text={t('noDeliveriesText')} level={3} />
  return (
    <Panel title={t('deliveries')} lead={t('deliveriesLead', { n: LIMITS.webhook.attemptsListed })} flush>
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <DataTable
          name="deliveries"
          caption={t('deliveries')}
          columns={columns}
          rows={data}
          rowKey={({ deliveryId, attempt }) => `${deliveryId} ${attempt}`}
          empty={none}
        />
      ) : error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}

export function ResponseText({ attempt }: { attempt: DeliveryRecord }): ReactNode {
  const t = useTexts(webhookTexts)
  if (attempt.httpCode !== null) return <code>HTTP {attempt.httpCode}</code>
  return <span title={attempt.error ?? undefined}>{attempt.error ?? t('noResponse')}</span>
}
