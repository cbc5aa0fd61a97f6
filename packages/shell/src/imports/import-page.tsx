import type { ImportRecord } from '@storey/sdk'
import {
  Badge,
  ButtonLink,
  Definitions,
  EmptyState,
  ErrorPanel,
  isNotFound,
  Link,
  LoadingState,
  Note,
  Page,
  Panel,
  Spinner,
  useLoad,
  useLocale,
  useTexts,
  useTitle,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import type { PageProps } from '../page-props.ts'
import { failureReason } from './failure-reasons.ts'
import { useFileSize } from './file-size.ts'
import { CountsTable, LeftOutTable, RemovedTable } from './import-tables.tsx'
import styles from './imports.module.css'
import { NoPermission } from './no-permission.tsx'
import { isActive, STATUS_BADGES } from './statuses.ts'
import { importTexts } from './texts.ts'

/** The poll interval of an active import while the live channel cannot report changes. */
const POLL_MS = 2_000

/** An import of a building model: its progress, what it changed and what it left out. */
export default function ImportPage({ params }: PageProps): ReactNode {
  const t = useTexts(importTexts)
  const { may } = useShell()
  return may('data-import.sync:read') ? <Import id={params.id ?? ''} /> : <NoPermission title={t('title')} />
}

function Import({ id }: { id: string }): ReactNode {
  const t = useTexts(importTexts)
  const { api } = useShell()
  const { building } = useBuildingData()
  const one = useLoad(['import', id], (signal) => api.imports.get(id, { signal }), {
    pollMs: (record) => (isActive(record) ? POLL_MS : undefined),
    changes: 'imports',
  })
  const title = one.data?.fileName ?? t('modelOf')
  useTitle(title, building.name)
  const back = { to: '/imports', label: t('back') }
  if (isNotFound(one.error)) {
    return (
      <Page title={t('notFound')} back={back}>
        <EmptyState icon="search" title={t('notFound')} action={<ButtonLink to="/imports" label={t('allImports')} />} />
      </Page>
    )
  }
  return (
    <Page
      title={title}
      wide
      back={back}
      lead={one.data ? <Badge {...STATUS_BADGES[one.data.status]}>{t(one.data.status)}</Badge> : undefined}
      actions={one.data?.status === 'succeeded' ? <Actions record={one.data} /> : null}
    >
      <ErrorPanel error={one.error} onRetry={one.reload} />
      {one.data ? <Result record={one.data} /> : one.error === undefined ? <LoadingState /> : null}
    </Page>
  )
}

function Actions({ record }: { record: ImportRecord }): ReactNode {
  const t = useTexts(importTexts)
  return (
    <>
      <ButtonLink icon="plan" to="/plan" label={t('showPlan')} />
      {record.revision === null ? null : (
        <ButtonLink kind="primary" icon="clock" to={`/history?at=${record.revision}`} label={t('showChanges')} />
      )}
    </>
  )
}

function Result({ record }: { record: ImportRecord }): ReactNode {
  const t = useTexts(importTexts)
  const locale = useLocale()
  const isDone = record.status === 'succeeded'
  return (
    <>
      {isActive(record) ? (
        <Panel>
          <p className={styles.active} role="status">
            <Spinner />
            {t(record.status === 'queued' ? 'waitingText' : 'runningText')}
          </p>
        </Panel>
      ) : null}
      {record.status === 'failed' ? (
        <Note tone="bad">
          <p>
            <strong>{t('failedTitle')}</strong>
          </p>
          <p>{failureReason(record.failureReason ?? '', locale)}</p>
          <p>
            <Link to="/imports/model">{t('tryAgain')}</Link>
          </p>
        </Note>
      ) : null}
      {isDone && record.revision === null ? <Note>{t('nothingChanged')}</Note> : null}
      <div className={styles.columns}>
        {record.counts ? (
          <Panel title={t('counts')} flush>
            <CountsTable counts={record.counts} />
          </Panel>
        ) : null}
        <Panel title={t('about')}>
          <About record={record} />
        </Panel>
      </div>
      {record.removed.length > 0 ? (
        <Panel title={t('removedTitle', { n: record.removed.length })} flush>
          <RemovedTable removed={record.removed} />
        </Panel>
      ) : null}
      {isDone ? <LeftOut record={record} /> : null}
    </>
  )
}

function LeftOut({ record }: { record: ImportRecord }): ReactNode {
  const t = useTexts(importTexts)
  const { leftOut, leftOutTotal } = record
  if (leftOutTotal === 0) {
    return (
      <Panel title={t('leftOut')}>
        <p className="st-quiet">{t('nothingLeftOut')}</p>
      </Panel>
    )
  }
  const isCut = leftOut.length < leftOutTotal
  const lead = isCut ? `${t('leftOutText')} ${t('leftOutFirst', { n: leftOut.length })}` : t('leftOutText')
  return (
    <Panel title={t('leftOutTitle', { n: leftOutTotal })} lead={lead} flush>
      <LeftOutTable leftOut={leftOut} />
    </Panel>
  )
}

function About({ record }: { record: ImportRecord }): ReactNode {
  const t = useTexts(importTexts)
  const times = useBuildingTimes()
  const size = useFileSize()
  const { fileName, sizeBytes, schema, replace, actor, createdAt, finishedAt, revision } = record
  return (
    <Definitions
      items={[
        ...(fileName === null ? [] : [[t('file'), fileName] as const]),
        [t('size'), size(sizeBytes)],
        ...(schema === null ? [] : [[t('schema'), schema] as const]),
        [t('mode'), t(replace ? 'modeReplace' : 'modeAdd')],
        [t('by'), <ActorName key="actor" actor={actor} />],
        [t('at'), times.dateTime(createdAt)],
        ...(finishedAt === null ? [] : [[t('finished'), times.dateTime(finishedAt)] as const]),
        ...(revision === null
          ? []
          : [
              [
                t('revision'),
                <Link key="revision" to={`/history?at=${revision}`}>
                  {revision}
                </Link>,
              ] as const,
            ]),
      ]}
    />
  )
}
