import type { RequestRecord, SpaceNode } from '@storey/sdk'
import { Badge, ButtonLink, ErrorPanel, Link, Panel, useLoad, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { shellTexts } from '../app/texts.ts'
import { Age } from '../live/age.tsx'
import { STATE_BADGES } from '../requests/states.ts'
import { requestTexts } from '../requests/texts.ts'
import styles from './rooms.module.css'

const MAX_REQUESTS = 8
/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 30_000

/** The most recently changed service requests of a room, newest change first. */
export function RoomRequests({ space }: { space: SpaceNode }): ReactNode {
  const t = useTexts(shellTexts)
  const { client, buildingId, may } = useShell()
  const query = { buildingId, spaceId: space.id, limit: MAX_REQUESTS }
  const found = useLoad(['requests', query], (signal) => client.requests.list(query, { signal }), {
    pollMs: () => POLL_MS,
    changes: 'requests',
  })
  const requests = found.data?.data ?? []
  return (
    <Panel
      title={t('requests')}
      actions={
        may('service-desk.requests:create') ? (
          <ButtonLink to={`/requests/new?space=${space.id}`} label={t('reportProblem')} small icon="plus" />
        ) : null
      }
    >
      <ErrorPanel error={found.error} onRetry={found.reload} />
      {found.data && requests.length === 0 ? <p className="st-quiet">{t('noRequests')}</p> : null}
      <ul className={styles.requests}>
        {requests.map((request) => (
          <RequestLine key={request.id} request={request} />
        ))}
      </ul>
      {found.data && found.data.total > requests.length ? (
        <Link to={`/requests?space=${space.id}`}>{t('allRequests')}</Link>
      ) : null}
    </Panel>
  )
}

function RequestLine({ request }: { request: RequestRecord }): ReactNode {
  const t = useTexts(requestTexts)
  return (
    <li>
      <span>
        <Link to={`/requests/${request.id}`}>{request.title}</Link>
        <small className="st-quiet">
          {request.number} · <Age at={Date.parse(request.createdAt)} />
        </small>
      </span>
      <Badge {...STATE_BADGES[request.state]}>{t(request.state)}</Badge>
    </li>
  )
}
