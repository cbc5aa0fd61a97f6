import type { ChangesetDiff, ChangesetRecord } from '@storey/sdk'
import {
  Badge,
  ButtonLink,
  Definitions,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  useLoad,
  useTexts,
  useTitle,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { ActorName } from '../collaboration/actor-name.tsx'
import { ChangePlan } from '../history/change-plan.tsx'
import { ChangesTable } from '../history/changes-table.tsx'
import { useReloadOn } from '../live/use-reload-on.ts'
import type { PageProps } from '../page-props.ts'
import styles from './changesets.module.css'
import { NodeList } from './node-list.tsx'
import { STATE_BADGES } from './states.ts'
import { Steps, type StepsProps } from './steps.tsx'
import { changesetTexts } from './texts.ts'
import { Trail } from './trail.tsx'
import { useMayEdit } from './use-permissions.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

/** A changeset: its changes on the plan and in a table, and the next step. */
export default function ChangesetPage({ params }: PageProps): ReactNode {
  const t = useTexts(changesetTexts)
  const { api } = useShell()
  const building = useBuildingData()
  const id = params.id ?? ''
  const one = useLoad(
    ['changeset', id],
    async (signal) => {
      const [changeset, diff] = await Promise.all([
        api.changesets.get(id, { signal }),
        api.changesets.diff(id, { signal }),
      ])
      return { changeset, diff }
    },
    { pollMs: () => POLL_MS, changes: 'changesets' },
  )
  // Each revision of the building can change the conflicts, so the changeset is loaded again. A comment that the user
  // has typed stays.
  useReloadOn(id, String(building.revision), one.reload)
  const mayEdit = useMayEdit()
  const title = one.data?.changeset.title ?? t('title')
  useTitle(title, building.building.name)
  // After a step that changed the building, reloading the building also reloads the changeset, by `useReloadOn` above.
  const onStep = async (isGraphChanged: boolean) => {
    if (isGraphChanged) await building.reload()
    else one.reload()
  }
  return (
    <Page
      title={title}
      wide
      back={{ to: '/changesets', label: t('back') }}
      lead={
        one.data ? <Badge {...STATE_BADGES[one.data.changeset.state]}>{t(one.data.changeset.state)}</Badge> : undefined
      }
      actions={
        one.data && mayEdit(one.data.changeset) ? (
          <ButtonLink to={`/changesets/new?draft=${id}`} label={t('editDraft')} />
        ) : null
      }
    >
      <ErrorPanel error={one.error} onRetry={one.reload} />
      {one.data ? <Changeset {...one.data} onStep={onStep} /> : one.error === undefined ? <LoadingState /> : null}
    </Page>
  )
}

interface ChangesetProps {
  changeset: ChangesetRecord
  diff: ChangesetDiff
  onStep: StepsProps['onStep']
}

function Changeset({ changeset, diff, onStep }: ChangesetProps): ReactNode {
  const t = useTexts(changesetTexts)
  const building = useBuildingData()
  const isDone = changeset.state === 'applied' || changeset.state === 'reverted'
  const mayStillApply = !isDone && changeset.state !== 'rejected'
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        {changeset.description ? (
          <Panel title={t('description')}>
            <p className={styles.text}>{changeset.description}</p>
          </Panel>
        ) : null}
        {mayStillApply && diff.conflicts.length > 0 ? (
          <NodeList
            title={t('conflicts', { n: diff.conflicts.length })}
            text={t('conflictsText', { n: String(diff.baseRevision) })}
            nodeIds={diff.conflicts}
          />
        ) : null}
        <Panel title={isDone ? t('appliedChanges') : t('preview')}>
          {diff.changes.length === 0 ? (
            <EmptyState title={t('nothing')} level={3} />
          ) : (
            <ChangePlan changes={diff.changes} graph={building} />
          )}
        </Panel>
        {diff.changes.length > 0 ? (
          <Panel title={t('operations')} flush>
            <ChangesTable changes={diff.changes} graph={building} caption={t('operations')} />
          </Panel>
        ) : null}
      </div>
      <div className={styles.column}>
        <Panel title={t('nextStep')}>
          <Steps changeset={changeset} hasConflicts={diff.conflicts.length > 0} onStep={onStep} />
        </Panel>
        <Panel title={t('details')}>
          <Details changeset={changeset} />
        </Panel>
        <Panel title={t('trail')}>
          <Trail trail={changeset.trail} />
        </Panel>
      </div>
    </div>
  )
}

function Details({ changeset }: { changeset: ChangesetRecord }): ReactNode {
  const t = useTexts(changesetTexts)
  const { author, reviewer, baseRevision, appliedRevision, revertedRevision } = changeset
  const revision = (n: number) => <Link to={`/history?at=${n}`}>{n}</Link>
  return (
    <Definitions
      items={[
        [t('author'), <ActorName key="author" actor={author} />],
        ...(reviewer ? [[t('reviewer'), <ActorName key="reviewer" actor={reviewer} />] as const] : []),
        [t('baseRevision'), revision(baseRevision)],
        ...(appliedRevision === null ? [] : [[t('appliedRevision'), revision(appliedRevision)] as const]),
        ...(revertedRevision === null ? [] : [[t('revertedRevision'), revision(revertedRevision)] as const]),
      ]}
    />
  )
}
