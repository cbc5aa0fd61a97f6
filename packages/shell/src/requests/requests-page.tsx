import {
  Button,
  ButtonLink,
  DataTable,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  setQuery,
  useLoad,
  useRoute,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { FILTERS, Filters, filtersOf } from './filters.tsx'
import { useRequestColumns } from './request-columns.tsx'
import styles from './requests.module.css'
import { requestTexts } from './texts.ts'

const PAGE_SIZE = 200
/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

export default function RequestsPage(): ReactNode {
  const t = useTexts(requestTexts)
  const { client, buildingId, may } = useShell()
  const { query } = useRoute()
  const filters = filtersOf(query)
  const requested = pageOf(query.get('page'))
  const list = useLoad(
    ['requests', buildingId, requested, filters],
    async (signal) => ({
      ...(await client.requests.list({ buildingId, page: requested, limit: PAGE_SIZE, ...filters }, { signal })),
      page: requested,
      isFiltered: Object.keys(filters).length > 0,
    }),
    // The previous list stays until the list for new filters is loaded, so that nothing moves under the pointer.
    { pollMs: () => POLL_MS, changes: 'requests', isCached: true, keepsPrevious: true },
  )
  const { data, error, reload } = list
  const columns = useRequestColumns()
  const newButton = may('service-desk.requests:create') ? (
    <ButtonLink kind="primary" icon="plus" to="/requests/new" label={t('newRequest')} />
  ) : null
  const clear = () => {
    setQuery(Object.fromEntries([...FILTERS, 'page'].map((name) => [name, null])))
    // The button disappears, so the focus moves to the page.
    document.getElementById('main')?.focus()
  }
  const page = data?.page ?? requested
  const isPastEnd = data !== undefined && data.total > 0
  const none = isPastEnd ? (
    <EmptyState
      icon="list"
      title={t('noPage', { page: String(page) })}
      action={<Button label={t('firstPage')} onClick={() => setQuery({ page: null })} />}
    />
  ) : data?.isFiltered ? (
    <EmptyState
      icon="search"
      title={t('noneFiltered')}
      text={t('noneFilteredText')}
      action={<Button label={t('clearFilters')} onClick={clear} />}
    />
  ) : (
    <EmptyState icon="list" title={t('none')} text={t('noneText')} action={newButton} />
  )
  const pages = data ? Math.max(1, Math.ceil(data.total / PAGE_SIZE)) : 1
  return (
    <Page title={t('title')} actions={newButton} wide>
      <Filters filters={filters} />
      {filters.spaceId ? <RoomChip spaceId={filters.spaceId} /> : null}
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <Panel flush isBusy={list.isPrevious}>
          <DataTable
            name="requests"
            caption={t('title')}
            columns={columns}
            rows={data.data}
            rowKey={({ id }) => id}
            empty={none}
            isSortable={pages === 1}
            foot={
              <span className={styles.pages}>
                {t('count', { n: data.total })}
                {pages > 1 && page <= pages ? <Pages page={page} pages={pages} /> : null}
              </span>
            }
          />
        </Panel>
      ) : error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

/** The maximum page number of the API. */
const LAST_PAGE = 1_000_000
const pageOf = (text: string | null) => Math.min(LAST_PAGE, Math.max(1, Math.trunc(Number(text)) || 1))

function RoomChip({ spaceId }: { spaceId: string }): ReactNode {
  const t = useTexts(requestTexts)
  const { space } = useBuildingData()
  return (
    <p className={styles.chip}>
      {t('ofRoom')} <Link to={`/rooms/${spaceId}`}>{space(spaceId)?.name ?? spaceId}</Link>
      <Button
        small
        kind="quiet"
        icon="cross"
        label={t('allRooms')}
        onClick={() => setQuery({ space: null, page: null })}
      />
    </p>
  )
}

function Pages({ page, pages }: { page: number; pages: number }): ReactNode {
  const t = useTexts(requestTexts)
  const go = (n: number) => setQuery({ page: n === 1 ? null : String(n) }, { replace: false })
  return (
    <div className="st-row">
      <Button small label={t('previous')} disabled={page <= 1} onClick={() => go(page - 1)} />
      <span className="st-quiet">{t('page', { page, pages })}</span>
      <Button small label={t('next')} disabled={page >= pages} onClick={() => go(page + 1)} />
    </div>
  )
}
