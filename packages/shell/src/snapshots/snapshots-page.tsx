import type { SnapshotRecord } from '@storey/sdk'
import {
  Button,
  ButtonLink,
  ConfirmDialog,
  type DataColumn,
  DataTable,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  useLoad,
  useTexts,
  useToasts,
} from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import { readSnapshots } from '../history/read-snapshots.ts'
import { SnapshotDialog } from '../history/snapshot-dialog.tsx'
import { compareAddress } from './compare-address.ts'
import { ComparePanel } from './compare-panel.tsx'
import styles from './snapshots.module.css'
import { snapshotTexts } from './texts.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

/** The snapshots of the building. The history page shows what changed between two of them. */
export default function SnapshotsPage(): ReactNode {
  const t = useTexts(snapshotTexts)
  const { api, may } = useShell()
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<SnapshotRecord>()
  const mayWrite = may('building.graph:write')
  const snapshots = useLoad(['snapshots', api.buildingId], (signal) => readSnapshots(api, signal), {
    pollMs: () => POLL_MS,
    changes: 'snapshots',
    isCached: true,
  })
  const create = mayWrite ? (
    <Button kind="primary" icon="plus" label={t('create')} onClick={() => setIsCreating(true)} />
  ) : null
  const { data } = snapshots
  return (
    <Page title={t('title')} lead={t('lead')} wide actions={data?.length ? create : null}>
      <ErrorPanel error={snapshots.error} onRetry={snapshots.reload} />
      {data && data.length > 0 ? <ComparePanel snapshots={data} /> : null}
      {data ? (
        <Panel flush>
          {data.length === 0 ? (
            <EmptyState
              icon="camera"
              title={t('none')}
              text={mayWrite ? t('noneText') : t('noneReadOnly')}
              action={create}
            />
          ) : (
            <SnapshotTable snapshots={data} onDelete={mayWrite ? setDeleted : undefined} />
          )}
        </Panel>
      ) : snapshots.error === undefined ? (
        <LoadingState />
      ) : null}
      {isCreating ? <SnapshotDialog onClose={() => setIsCreating(false)} onSaved={snapshots.reload} /> : null}
      {deleted ? (
        <DeleteDialog snapshot={deleted} onDeleted={snapshots.reload} onClose={() => setDeleted(undefined)} />
      ) : null}
    </Page>
  )
}

interface SnapshotTableProps {
  snapshots: readonly SnapshotRecord[]
  onDelete: ((snapshot: SnapshotRecord) => void) | undefined
}

function SnapshotTable({ snapshots, onDelete }: SnapshotTableProps): ReactNode {
  const t = useTexts(snapshotTexts)
  const times = useBuildingTimes()
  const { revision: now } = useBuildingData()
  const columns = useMemo<DataColumn<SnapshotRecord>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        isHeader: true,
        value: ({ name }) => name,
        cell: ({ name, description }) => (
          <span className={styles.name}>
            {name}
            {description ? <span className="st-quiet">{description}</span> : null}
          </span>
        ),
      },
      {
        key: 'revision',
        title: t('revision'),
        isNumeric: true,
        value: ({ revision }) => revision,
        cell: ({ revision }) => <Link to={`/history?at=${revision}`}>{revision}</Link>,
      },
      {
        key: 'since',
        title: t('since'),
        isNumeric: true,
        value: ({ revision }) => now - revision,
        cell: ({ revision }) => (revision === now ? t('current') : now - revision),
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        value: ({ createdAt }) => createdAt,
        cell: ({ createdAt }) => times.dateTime(createdAt),
      },
      {
        key: 'createdBy',
        title: t('createdBy'),
        value: ({ createdBy }) => createdBy,
        cell: ({ createdBy }) => <ActorName actor={createdBy} />,
      },
      {
        key: 'actions',
        title: t('actions'),
        hideTitle: true,
        value: () => null,
        cell: (snapshot) => (
          <span className={styles.actions}>
            <ButtonLink small to={compareAddress(snapshot.name, undefined)} label={t('compareNow')} />
            {onDelete ? (
              <Button
                small
                kind="quiet"
                icon="trash"
                iconOnly
                label={t('deleteLabel', { name: snapshot.name })}
                onClick={() => onDelete(snapshot)}
              />
            ) : null}
          </span>
        ),
      },
    ],
    [t, times, now, onDelete],
  )
  return <DataTable name="snapshots" caption={t('title')} columns={columns} rows={snapshots} rowKey={({ id }) => id} />
}

interface DeleteDialogProps {
  snapshot: SnapshotRecord
  onDeleted(): void
  onClose(): void
}

function DeleteDialog({ snapshot, onDeleted, onClose }: DeleteDialogProps): ReactNode {
  const t = useTexts(snapshotTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const { id, name, revision } = snapshot
  return (
    <ConfirmDialog
      title={t('deleteTitle', { name })}
      confirmLabel={t('delete')}
      onClose={onClose}
      onConfirm={async () => {
        await api.snapshots.delete(id)
        toasts.show(t('deleted', { name }))
        onDeleted()
        onClose()
      }}
    >
      <p>{t('deleteText', { n: String(revision) })}</p>
    </ConfirmDialog>
  )
}
