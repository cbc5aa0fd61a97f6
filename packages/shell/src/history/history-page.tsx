import type { BuildingClient, RevisionRecord, SnapshotRecord } from '@storey/sdk'
import {
  Button,
  EmptyState,
  ErrorPanel,
  LoadingState,
  Page,
  Panel,
  setQuery,
  useLoad,
  useRoute,
  useTexts,
} from '@storey/web'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { ChangePlan } from './change-plan.tsx'
import { ChangesTable } from './changes-table.tsx'
import { graphBefore } from './graph-at.ts'
import styles from './history.module.css'
import { NoSuchRevision } from './no-such-revision.tsx'
import { revisionAt } from './revision-at.ts'
import { RevisionSlider } from './revision-slider.tsx'
import { SnapshotDialog } from './snapshot-dialog.tsx'
import { historyTexts } from './texts.ts'
import { useDiff } from './use-diff.ts'

interface Log {
  /** Oldest first. */
  revisions: RevisionRecord[]
  snapshots: SnapshotRecord[]
  hasOlder: boolean
}

const PAGE_SIZE = 200
const MAX_PAGES = 25

async function readLog(api: BuildingClient, pages: number, signal: AbortSignal): Promise<Log> {
  const snapshots = await api.snapshots.list({ limit: PAGE_SIZE }, { signal })
  const revisions: RevisionRecord[] = []
  let total = 0
  for (let page = 0; page < pages; page++) {
    const next = await api.revisions.list({ limit: PAGE_SIZE, offset: page * PAGE_SIZE }, { signal })
    revisions.push(...next.data)
    total = next.total
    if (revisions.length >= total) break
  }
  return { revisions: revisions.reverse(), snapshots: snapshots.data, hasOlder: revisions.length < total }
}

/** The revisions of the building, with their changes on the plan and in a table. */
export default function HistoryPage(): ReactNode {
  const t = useTexts(historyTexts)
  const { api, may } = useShell()
  const building = useBuildingData()
  const [isDialogOpen, setIsDialogOpen] = useState(false)
  const { query } = useRoute()
  const [pages, setPages] = useState(1)
  // A link may refer to a revision that is older than the first page of the log.
  const requiredPages = Math.ceil((building.revision + 1 - (Number(query.get('at')) || building.revision)) / PAGE_SIZE)
  const count = Math.min(Math.max(pages, requiredPages), MAX_PAGES)
  const log = useLoad<Log>(
    ['revisions', api.buildingId, building.revision, count],
    (signal) => readLog(api, count, signal),
    { changes: 'snapshots' },
  )
  // The old log stays visible while a longer or newer one loads.
  const known = useRef(log.data)
  known.current = log.data ?? known.current
  const shown = known.current
  const mayCreate = may('building.graph:write')
  return (
    <Page
      title={t('title')}
      wide
      actions={
        mayCreate ? <Button icon="plus" label={t('createSnapshot')} onClick={() => setIsDialogOpen(true)} /> : null
      }
    >
      <ErrorPanel error={log.error} onRetry={log.reload} />
      {shown ? (
        <Revisions {...shown} isLoading={log.isLoading} onOlder={() => setPages(count + 1)} />
      ) : log.error === undefined ? (
        <LoadingState />
      ) : null}
      {isDialogOpen ? (
        <SnapshotDialog revision={building.revision} onClose={() => setIsDialogOpen(false)} onSaved={log.reload} />
      ) : null}
    </Page>
  )
}

interface RevisionsProps extends Log {
  isLoading: boolean
  onOlder(): void
}

function Revisions({ revisions, snapshots, hasOlder, isLoading, onOlder }: RevisionsProps): ReactNode {
  const t = useTexts(historyTexts)
  const { query } = useRoute()
  const building = useBuildingData()
  const last = revisions.at(-1)
  const at = revisionAt(query.get('at'), revisions, snapshots)
  // The first revision created the building and has no predecessor.
  const from = query.get('from') ?? (at && at.revision > 1 ? String(at.revision - 1) : undefined)

  const diff = useDiff(at && from, at && String(at.revision))
  const isNow = at?.revision === building.revision
  const since = useDiff(isNow || !at ? undefined : String(at.revision), String(building.revision))
  const graph = useMemo(
    () => (isNow ? building : since.data && graphBefore(building, since.data.changes)),
    [isNow, building, since.data],
  )
  if (!last) return <EmptyState title={t('nothing')} />
  if (!at) {
    if (isLoading) return <LoadingState />
    const requested = query.get('at') ?? ''
    return <NoSuchRevision key={requested} at={requested} first={revisions[0]!.revision} last={last.revision} />
  }
  const changes = diff.data?.changes ?? NONE
  const error = diff.error ?? since.error
  return (
    <>
      <RevisionSlider
        revisions={revisions}
        snapshots={snapshots}
        at={at}
        changes={changes}
        from={query.get('from')}
        onOlder={hasOlder ? onOlder : undefined}
        onAt={(revision) => setQuery({ at: revision === last.revision ? null : String(revision) })}
        onFrom={(next) => setQuery({ from: next })}
      />
      <ErrorPanel error={error} onRetry={diff.error === undefined ? since.reload : diff.reload} />
      <div className={styles.columns}>
        <Panel title={isNow ? t('currentPlan') : t('planAtRevision')}>
          {graph ? <ChangePlan changes={changes} graph={graph} /> : error === undefined ? <LoadingState /> : null}
        </Panel>
        <Panel title={t('whatChanged')} flush lead={diff.data ? t('differences', { n: changes.length }) : undefined}>
          {from === undefined ? (
            <p className={styles.hint}>{t('seed')}</p>
          ) : diff.data && graph ? (
            changes.length === 0 ? (
              <EmptyState title={t('nothing')} text={t('nothingText')} level={3} />
            ) : (
              <ChangesTable key={`${from} ${at.revision}`} changes={changes} graph={graph} caption={t('whatChanged')} />
            )
          ) : error === undefined ? (
            <LoadingState />
          ) : null}
        </Panel>
      </div>
    </>
  )
}

const NONE: readonly never[] = []
