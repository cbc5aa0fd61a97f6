import type { WebhookRecord } from '@storey/sdk'
import {
  Badge,
  Definitions,
  ErrorPanel,
  LoadingState,
  Note,
  Page,
  Panel,
  setQuery,
  useFormat,
  useRoute,
  useTexts,
  useTitle,
} from '@storey/web'
import { type ReactNode, useState } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { type ApiAccess, useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import type { PageProps } from '../page-props.ts'
import { Deliveries } from './deliveries.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { STATE_BADGES, stateOf } from './states.ts'
import { webhookTexts } from './texts.ts'
import { useWebhook } from './use-webhooks.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { EventNames } from './webhooks-page.tsx'

/** A webhook with its deliveries. `?delivery=` opens one of them. */
export default function WebhookPage({ params }: PageProps): ReactNode {
  const t = useTexts(webhookTexts)
  const access = useApiAccess()
  if (access.may('platform.webhooks:read')) return <Webhook access={access} id={params.id ?? ''} />
  return (
    <Page title={t('one')} back={{ to: '/webhooks', label: t('back') }} wide>
      <AccessNote access={access} permission="platform.webhooks:read">
        {t('whoMayRead')}
      </AccessNote>
    </Page>
  )
}

function Webhook({ access, id }: { access: ApiAccess; id: string }): ReactNode {
  const t = useTexts(webhookTexts)
  const { building } = useBuildingData()
  const { query } = useRoute()
  const [isDeleting, setIsDeleting] = useState(false)
  const one = useWebhook(id, !isDeleting)
  const webhook = one.data
  const deliveryId = query.get('delivery')
  useTitle(webhook?.url ?? t('one'), building.name)
  return (
    <Page
      title={webhook?.url ?? t('one')}
      wide
      back={{ to: '/webhooks', label: t('back') }}
      lead={webhook ? <Badge {...STATE_BADGES[stateOf(webhook)]}>{t(stateOf(webhook))}</Badge> : undefined}
      actions={
        webhook && access.may('platform.webhooks:write') ? (
          <WebhookActions webhook={webhook} access={access} onChange={one.setData} onDeleting={setIsDeleting} />
        ) : null
      }
    >
      <AccessNote access={access} permission="platform.webhooks:write">
        {t('whoMayWrite')}
      </AccessNote>
      <ErrorPanel error={one.error} onRetry={one.reload} />
      {webhook ? (
        <>
          <PauseNote webhook={webhook} />
          <Panel title={t('details')}>
            <Details webhook={webhook} />
          </Panel>
          <Deliveries webhookId={id} isDeleting={isDeleting} />
          {deliveryId ? (
            <DeliveryDialog
              key={deliveryId}
              webhookId={id}
              deliveryId={deliveryId}
              access={access}
              onClose={() => setQuery({ delivery: null })}
            />
          ) : null}
        </>
      ) : one.error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

function PauseNote({ webhook }: { webhook: WebhookRecord }): ReactNode {
  const t = useTexts(webhookTexts)
  const state = stateOf(webhook)
  if (state === 'active') return null
  const isByFailures = state === 'pausedByFailures'
  return (
    <Note tone={isByFailures ? 'warn' : 'info'}>
      {isByFailures ? t('pausedByFailuresText', { n: webhook.consecutiveFailures }) : t('pausedText')}
    </Note>
  )
}

function Details({ webhook }: { webhook: WebhookRecord }): ReactNode {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  return (
    <Definitions
      items={[
        [t('events'), <EventNames key="events" events={webhook.events} />],
        [t('secret'), <code key="secret">{webhook.secret}</code>],
        [t('failures'), format.number(webhook.consecutiveFailures)],
        [
          t('created'),
          <time key="created" dateTime={webhook.createdAt}>
            {times.dateTime(webhook.createdAt)}
          </time>,
        ],
      ]}
    />
  )
}
