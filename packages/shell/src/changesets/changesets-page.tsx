import type { ChangesetSummary } from '@storey/sdk'
import {
  Badge,
  Button,
  ButtonLink,
  type Column,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  setQuery,
  Table,
  useFormat,
  useLoad,
  useRoute,
  useTexts,
} from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import styles from './changesets.module.css'
import { STATE_BADGES, STATES } from './states.ts'
import { changesetTexts } from './texts.ts'

const [PAGE_SIZE, MAX_PAGE_SIZE] = [50, 200]
/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

export default function ChangesetsPage(): ReactNode {
  const t = useTexts(changesetTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const { api, may } = useShell()
  const { query } = useRoute()
  const [limit, setLimit] = useState(PAGE_SIZE)
  const state = STATES.find((one) => one === query.get('state'))
  const list = useLoad(
    ['changesets', api.buildingId, state, limit],
    (signal) => api.changesets.list({ limit, ...(state ? { state } : {}) }, { signal }),
    { pollMs: () => POLL_MS, changes: 'changesets', isCached: true },
  )
  const { data, error, reload } = list
  const choose = (next: string | null) => {
    setLimit(PAGE_SIZE)
    setQuery({ state: next })
  }
  const newButton = may('building.changesets:write') ? (
    <ButtonLink kind="primary" icon="plus" to="/changesets/new" label={t('newChangeset')} />
  ) : null

  const columns: Column<ChangesetSummary>[] = [
    {
      key: 'title',
      title: t('subject'),
      isHeader: true,
      cell: ({ id, title }) => <Link to={`/changesets/${id}`}>{title}</Link>,
    },
    {
      key: 'state',
      title: t('state'),
      cell: (row) => <Badge {...STATE_BADGES[row.state]}>{t(row.state)}</Badge>,
    },
    { key: 'author', title: t('author'), cell: ({ author }) => <ActorName actor={author} /> },
    {
      key: 'operations',
      title: t('operations'),
      isNumeric: true,
      cell: ({ operationCount }) => format.number(operationCount),
    },
    {
      key: 'updated',
      title: t('updated'),
      cell: ({ updatedAt }) => <time dateTime={updatedAt}>{times.dateTime(updatedAt)}</time>,
    },
  ]
  const none =
    state === undefined ? (
      <EmptyState icon="list" title={t('none')} text={t('noneText')} action={newButton} />
    ) : (
      <EmptyState icon="list" title={t('noneInState')} />
    )
  return (
    <Page title={t('title')} lead={t('intro')} actions={newButton} wide>
      <div className={styles.states}>
        {[undefined, ...STATES].map((one) => (
          <Button
            key={one ?? 'all'}
            small
            kind={one === state ? 'plain' : 'quiet'}
            aria-pressed={one === state}
            label={one ? t(one) : t('all')}
            onClick={() => choose(one ?? null)}
          />
        ))}
      </div>
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <Panel flush>
          <Table caption={t('title')} columns={columns} rows={data.data} rowKey={({ id }) => id} empty={none} />
          {data.total > data.data.length ? (
            <div className={styles.more}>
              <span className="st-quiet">{t('count', { shown: data.data.length, n: data.total })}</span>
              {limit < MAX_PAGE_SIZE ? (
                <Button small label={t('showMore')} onClick={() => setLimit(MAX_PAGE_SIZE)} />
              ) : null}
            </div>
          ) : null}
        </Panel>
      ) : error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}
