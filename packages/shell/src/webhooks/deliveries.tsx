import { LIMITS } from '@storey/contract'
import type { DeliveryRecord } from '@storey/sdk'
import {
  Badge,
  type Column,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Panel,
  Table,
  useFormat,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingTimes } from '../building/building-times.ts'
import { ATTEMPT_BADGES } from './states.ts'
import { webhookTexts } from './texts.ts'
import { useDeliveries } from './use-webhooks.ts'

/** The last attempts of a webhook. Each leads to its delivery. */
export function Deliveries({ webhookId }: { webhookId: string }): ReactNode {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const { data, error, reload } = useDeliveries(webhookId)
  const columns: Column<DeliveryRecord>[] = [
    {
      key: 'status',
      title: t('status'),
      cell: ({ status }) => <Badge {...ATTEMPT_BADGES[status]}>{t(status)}</Badge>,
    },
    {
      key: 'event',
      title: t('event'),
      isHeader: true,
      cell: ({ deliveryId, event, attemptedAt }) => (
        <Link
          to={`/webhooks/${webhookId}?delivery=${deliveryId}`}
          aria-label={t('openDelivery', { event, when: times.second(attemptedAt) })}
        >
          {event}
        </Link>
      ),
    },
    { key: 'response', title: t('response'), cell: (attempt) => <ResponseText attempt={attempt} /> },
    { key: 'attempt', title: t('attempt'), isNumeric: true, cell: ({ attempt }) => format.number(attempt) },
    {
      key: 'duration',
      title: t('duration'),
      isNumeric: true,
      cell: ({ durationMs }) => t('ms', { n: durationMs }),
    },
    {
      key: 'time',
      title: t('time'),
      cell: ({ attemptedAt }) => <time dateTime={attemptedAt}>{times.second(attemptedAt)}</time>,
    },
    {
      key: 'next',
      title: t('next'),
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
        <Table
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
