import type { BuildingClient } from '@storey/sdk'
import {
  Badge,
  ButtonLink,
  type DataColumn,
  DataTable,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  readAll,
  useLoad,
  useTexts,
} from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import { useReloadOn } from '../live/use-reload-on.ts'
import styles from './imports.module.css'
import { NoPermission } from './no-permission.tsx'
import { type PastImport, pastImports } from './past-imports.ts'
import { isActive, STATUS_BADGES } from './statuses.ts'
import { importTexts } from './texts.ts'

/** The poll intervals while the live channel cannot report changes; the short one while a model is being imported. */
const [POLL_MS, ACTIVE_POLL_MS] = [20_000, 2_000]
/** How many of the newest revisions are searched for imports of tables. */
const REVISIONS = 200

async function readImports(
  api: BuildingClient,
  signal: AbortSignal,
): Promise<{ rows: PastImport[]; hasOlder: boolean }> {
  const models = await readAll(api.imports.listAll({}, { signal }))
  const revisions = await api.revisions.list({ limit: REVISIONS }, { signal })
  return { rows: pastImports(models, revisions.data), hasOlder: revisions.total > REVISIONS }
}

/** Lists past imports, and links to the pages that start an import. */
export default function ImportsPage(): ReactNode {
  const t = useTexts(importTexts)
  const { may } = useShell()
  return may('data-import.sync:read') ? <Imports /> : <NoPermission title={t('title')} />
}

function Imports(): ReactNode {
  const t = useTexts(importTexts)
  const { api, may } = useShell()
  const { revision } = useBuildingData()
  const imports = useLoad(['imports', api.buildingId], (signal) => readImports(api, signal), {
    pollMs: ({ rows }) => (rows.some((row) => row.kind === 'model' && isActive(row.record)) ? ACTIVE_POLL_MS : POLL_MS),
    changes: 'imports',
    isCached: true,
  })
  useReloadOn(api.buildingId, String(revision), imports.reload)
  const actions = may('data-import.sync:write') ? (
    <>
      <ButtonLink icon="building" to="/imports/model" label={t('importModel')} />
      <ButtonLink icon="list" to="/imports/table" label={t('importTable')} />
    </>
  ) : null
  const { data } = imports
  return (
    <Page title={t('title')} lead={t('lead')} wide actions={data?.rows.length === 0 ? null : actions}>
      <ErrorPanel error={imports.error} onRetry={imports.reload} />
      {data ? (
        <Panel
          title={data.rows.length === 0 ? '' : t('past')}
          lead={data.hasOlder ? t('olderTables') : undefined}
          flush
        >
          <PastImports rows={data.rows} actions={actions} />
        </Panel>
      ) : imports.error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

function PastImports({ rows, actions }: { rows: readonly PastImport[]; actions: ReactNode }): ReactNode {
  const t = useTexts(importTexts)
  const times = useBuildingTimes()
  const columns = useMemo<DataColumn<PastImport>[]>(() => {
    const nameOf = (row: PastImport) => {
      if (row.kind === 'table') return t('tableOf', { list: t(row.list), system: row.system })
      return row.record.fileName ?? t(row.record.replace ? 'replacedModel' : 'modelOf')
    }
    const resultOf = ({ created, updated, removed }: PastImport) => {
      const parts = [
        created > 0 ? t('added', { n: created }) : '',
        updated > 0 ? t('changed', { n: updated }) : '',
        removed > 0 ? t('removed', { n: removed }) : '',
      ]
      return parts.filter(Boolean).join(', ') || t('noChange')
    }
    const statusOf = (row: PastImport) => (row.kind === 'model' ? row.record.status : 'succeeded')
    return [
      {
        key: 'what',
        title: t('what'),
        isHeader: true,
        value: nameOf,
        cell: (row) => (
          <span className={styles.name}>
            <Link to={row.to}>{nameOf(row)}</Link>
            {row.kind === 'model' && row.record.schema ? <span className="st-quiet">{row.record.schema}</span> : null}
          </span>
        ),
      },
      {
        key: 'status',
        title: t('status'),
        value: statusOf,
        filter: 'choice',
        choices: (['queued', 'running', 'succeeded', 'failed'] as const).map((value) => ({ value, label: t(value) })),
        cell: (row) => <Badge {...STATUS_BADGES[statusOf(row)]}>{t(statusOf(row))}</Badge>,
      },
      {
        key: 'result',
        title: t('result'),
        value: (row) => (statusOf(row) === 'succeeded' ? resultOf(row) : null),
      },
      {
        key: 'leftOut',
        title: t('leftOut'),
        isNumeric: true,
        value: (row) => (row.kind === 'model' && statusOf(row) === 'succeeded' ? row.record.leftOutTotal : null),
      },
      { key: 'at', title: t('at'), value: ({ at }) => at, cell: ({ at }) => times.dateTime(at) },
      { key: 'by', title: t('by'), value: ({ actor }) => actor, cell: ({ actor }) => <ActorName actor={actor} /> },
    ]
  }, [t, times])
  return (
    <DataTable
      name="imports"
      caption={t('past')}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      empty={
        <EmptyState
          icon="import"
          title={t('none')}
          text={t('noneText')}
          action={<div className={styles.actions}>{actions}</div>}
        />
      }
    />
  )
}
