import type { RequestRecord, SpaceNode } from '@storey/sdk'
import { Badge, ButtonLink, ErrorPanel, Link, Panel, useLoad, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { Age } from '../live/age.tsx'
import { STATE_LOOKS } from '../requests/states.ts'
import { requestWords } from '../requests/words.ts'
import styles from './rooms.module.css'

const MOST = 8
/** Nothing tells the outside of a request: it is asked for again. */
const AGAIN_MS = 30_000

/** What people asked for in this room, the newest first. */
export function RoomRequests({ space }: { space: SpaceNode }): ReactNode {
  const t = useWords(shellWords)
  const { client, buildingId, may } = useShell()
  const query = { buildingId, spaceId: space.id, limit: MOST }
  const found = useLoad(['requests', query], (signal) => client.requests.list(query, { signal }), {
    again: () => AGAIN_MS,
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
  const word = useWords(requestWords)
  return (
    <li>
      <span>
        <Link to={`/requests/${request.id}`}>{request.title}</Link>
        <small className="st-quiet">
          {request.number} · <Age at={Date.parse(request.createdAt)} />
        </small>
      </span>
      <Badge {...STATE_LOOKS[request.state]}>{word(request.state)}</Badge>
    </li>
  )
}
