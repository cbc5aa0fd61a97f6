import type { RequestRecord } from '@storey/sdk'
import {
  Badge,
  Button,
  Definitions,
  ErrorPanel,
  LoadingState,
  Page,
  Panel,
  useLoad,
  useTexts,
  useTitle,
} from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import type { PageProps } from '../page-props.ts'
import { PersonName } from '../people/person-name.tsx'
import { Assignment } from './assignment.tsx'
import { Comments } from './comments.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { RequestLocation } from './request-location.tsx'
import styles from './requests.module.css'
import { isFinal, PRIORITY_BADGES, SLA_BADGES, STATE_BADGES } from './states.ts'
import { requestTexts } from './texts.ts'
import { Transitions } from './transitions.tsx'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

export default function RequestPage({ params }: PageProps): ReactNode {
  const t = useTexts(requestTexts)
  const { client, may } = useShell()
  const { building } = useBuildingData()
  const id = params.id ?? ''
  const one = useLoad(['request', id], (signal) => client.requests.get(id, { signal }), {
    pollMs: () => POLL_MS,
    changes: 'requests',
  })
  const request = one.data
  const [isEditing, setIsEditing] = useState(false)
  // The API would accept an edit, but a closed or cancelled request should not change.
  const mayEdit = request && !isFinal(request.state) && may('service-desk.requests:manage')
  useTitle(request ? `${request.number} ${request.title}` : t('title'), building.name)
  return (
    <Page
      title={request?.title ?? t('title')}
      wide
      back={{ to: '/requests', label: t('back') }}
      lead={
        request ? (
          <span className="st-row">
            <span className={styles.number}>{request.number}</span>
            <Badge {...STATE_BADGES[request.state]}>{t(request.state)}</Badge>
            <Badge {...PRIORITY_BADGES[request.priority]}>{t(request.priority)}</Badge>
            {/* The due time does not apply to a cancelled request. */}
            {request.state === 'cancelled' ? null : (
              <Badge {...SLA_BADGES[request.slaState]}>{t(request.slaState)}</Badge>
            )}
          </span>
        ) : undefined
      }
      actions={mayEdit ? <Button label={t('edit')} onClick={() => setIsEditing(true)} /> : null}
    >
      <ErrorPanel error={one.error} onRetry={one.reload} />
      {request && isEditing ? (
        <EditDialog request={request} onChange={one.setData} onClose={() => setIsEditing(false)} />
      ) : null}
      {request ? (
        <Request request={request} onChange={one.setData} onStale={one.reload} />
      ) : one.error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

interface RequestProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
  onStale(): void
}

function Request({ request, onChange, onStale }: RequestProps): ReactNode {
  const t = useTexts(requestTexts)
  const { may } = useShell()
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        <Panel title={t('description')}>
          {request.description ? (
            <p className={styles.text}>{request.description}</p>
          ) : (
            <p className="st-quiet">{t('noDescription')}</p>
          )}
        </Panel>
        <Comments requestId={request.id} version={request.updatedAt} onChange={onChange} />
      </div>
      <div className={styles.column}>
        <Panel title={t('moves')}>
          <Transitions request={request} onChange={onChange} onStale={onStale} />
        </Panel>
        {may('service-desk.requests:manage') && !isFinal(request.state) ? (
          <Panel title={t('assign')}>
            <Assignment request={request} onChange={onChange} />
          </Panel>
        ) : null}
        <Panel title={t('details')}>
          <RequestDetails request={request} />
        </Panel>
      </div>
    </div>
  )
}

function RequestDetails({ request }: { request: RequestRecord }): ReactNode {
  const t = useTexts(requestTexts)
  const times = useBuildingTimes()
  const { assignedUserId: userId, assignedTeamId } = request
  const assignee = userId === null ? (assignedTeamId ?? t('nobody')) : <PersonName key="assignee" id={userId} />
  return (
    <Definitions
      items={[
        [t('place'), <RequestLocation key="place" request={request} />],
        [t('category'), t(request.category)],
        [t('assignee'), assignee],
        [
          t('due'),
          <time key="due" dateTime={request.dueAt}>
            {times.dateTime(request.dueAt)}
          </time>,
        ],
        [t('reporter'), <ActorName key="reporter" actor={request.reporter} />],
        [
          t('created'),
          <time key="created" dateTime={request.createdAt}>
            {times.dateTime(request.createdAt)}
          </time>,
        ],
        [
          t('updated'),
          <time key="updated" dateTime={request.updatedAt}>
            {times.dateTime(request.updatedAt)}
          </time>,
        ],
        ...(request.workOrderIds.length > 0 ? [[t('workOrders'), request.workOrderIds.join(', ')] as const] : []),
      ]}
    />
  )
}
