import type { SnapshotRecord } from '@storey/sdk'
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
import { MAX_PAGES, pagesFor, type RevisionLog, readRevisions } from './read-revisions.ts'
import { readSnapshots } from './read-snapshots.ts'
import { revisionAt, revisionNumber } from './revision-at.ts'
import { RevisionSlider } from './revision-slider.tsx'
import { SnapshotDialog } from './snapshot-dialog.tsx'
import { historyTexts } from './texts.ts'
import { useDiff } from './use-diff.ts'

/** The revisions of the building, with their changes on the plan and in a table. */
export default function HistoryPage(): ReactNode {
  const t = useTexts(historyTexts)
  const { api, may } = useShell()
  const building = useBuildingData()
  const [isDialogOpen, setIsDialogOpen] = useState(false)
  const { query } = useRoute()
  const [pages, setPages] = useState(1)
  const snapshots = useLoad(['history-snapshots', api.buildingId], (signal) => readSnapshots(api, signal), {
    changes: 'snapshots',
  })
  const requiredPages = pagesFor(query.get('at'), snapshots.data ?? [], building.revision)
  const count = Math.min(Math.max(pages, requiredPages), MAX_PAGES)
  // The snapshots are read first, because a snapshot that the URL names decides how many pages are read.
  const log = useLoad(
    ['revisions', api.buildingId, building.revision, count],
    (signal) => readRevisions(api, count, signal),
    { isEnabled: snapshots.data !== undefined },
  )
  // The old log stays visible while a longer or newer one loads.
  const known = useRef(log.data)
  known.current = log.data ?? known.current
  const shown = known.current
  const mayCreate = may('building.graph:write')
  const failed = snapshots.error === undefined ? log : snapshots
  return (
    <Page
      title={t('title')}
      wide
      actions={
        mayCreate ? <Button icon="plus" label={t('createSnapshot')} onClick={() => setIsDialogOpen(true)} /> : null
      }
    >
      <ErrorPanel error={failed.error} onRetry={failed.reload} />
      {shown && snapshots.data ? (
        <Revisions
          {...shown}
          hasOlder={shown.hasOlder && count < MAX_PAGES}
          snapshots={snapshots.data}
          isLoading={log.isLoading || snapshots.isLoading}
          onOlder={() => setPages(count + 1)}
        />
      ) : failed.error === undefined ? (
        <LoadingState />
      ) : null}
      {isDialogOpen ? <SnapshotDialog onClose={() => setIsDialogOpen(false)} onSaved={snapshots.reload} /> : null}
    </Page>
  )
}

interface RevisionsProps extends RevisionLog {
  snapshots: readonly SnapshotRecord[]
  isLoading: boolean
  onOlder(): void
}

function Revisions({ revisions, snapshots, hasOlder, isLoading, onOlder }: RevisionsProps): ReactNode {
  const t = useTexts(historyTexts)
  const { query } = useRoute()
  const building = useBuildingData()
  const last = revisions.at(-1)
  const at = revisionAt(query.get('at'), revisions, snapshots)
  const compared = query.get('from')
  // The first revision created the building and has no predecessor.
  const previous = at && at.revision > 1 ? String(at.revision - 1) : undefined
  const from = compared === null ? previous : revisionNumber(compared, snapshots)

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
    const requested = revisionNumber(query.get('at') ?? '', snapshots)
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
        from={compared}
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
