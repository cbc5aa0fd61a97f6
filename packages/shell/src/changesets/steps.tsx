import type { ChangesetRecord } from '@storey/sdk'
import { ErrorPanel, isOutdated, Link, Note, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useActorName } from '../collaboration/actor.ts'
import { isConflict } from '../collaboration/conflict.ts'
import { Unsent } from '../collaboration/unsent.tsx'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { NodeList } from './node-list.tsx'
import { nextStep } from './states.ts'
import { StepForm } from './step-form.tsx'
import { changesetTexts } from './texts.ts'
import { useHasEdited } from './use-permissions.ts'
import { type ChangesetAction, type OnStep, type StepRunner, useStepRunner } from './use-step-runner.ts'

export interface StepsProps {
  changeset: ChangesetRecord
  /** The changeset conflicts with the building as it is now, so the API would refuse to apply it. */
  hasConflicts: boolean
  onStep: OnStep
}

/**
 * The next step of a changeset, or why the user cannot take it. A typed comment stays until a step succeeds, even if
 * the step is no longer possible.
 */
export function Steps({ changeset, hasConflicts, onStep }: StepsProps): ReactNode {
  const t = useTexts(changesetTexts)
  const { may } = useShell()
  const isOwn = useHasEdited(changeset)
  const runner = useStepRunner(changeset, onStep)
  const step = nextStep(changeset.state)
  const notice =
    step === undefined
      ? t('ended')
      : step === 'review'
        ? isOwn
          ? t('ownReview')
          : !may('building.changesets:review') && t('noReview')
        : !may('building.changesets:write') && t('noWrite')
  const actions: ChangesetAction[] = step === undefined ? [] : step === 'review' ? ['approve', 'reject'] : [step]
  const container = useReturnFocus<HTMLDivElement>(runner.isBusy)
  return (
    <div className="st-stack" ref={container} tabIndex={-1}>
      <StepError runner={runner} changeset={changeset} hasConflicts={hasConflicts} />
      {notice ? (
        <>
          <p className="st-quiet">
            {notice}
            {step === 'review' && isOwn && may('platform.people:write') ? (
              <>
                {' '}
                {t('addReviewer')} <Link to="/people">{t('people')}</Link>
              </>
            ) : null}
          </p>
          <Unsent text={runner.comment} label={t('unsent')} />
        </>
      ) : (
        <StepForm
          key={changeset.state}
          changeset={changeset}
          runner={runner}
          actions={actions}
          isBlocked={step === 'apply' && hasConflicts}
        />
      )}
    </div>
  )
}

/** Why a step failed: conflicts, a change by somebody else, or another error of the API. */
function StepError(props: { runner: StepRunner; changeset: ChangesetRecord; hasConflicts: boolean }): ReactNode {
  const t = useTexts(changesetTexts)
  const { runner, changeset, hasConflicts } = props
  const { error, attemptedState } = runner
  const nameOf = useActorName()
  const nodeIds = isConflict(error) ? error.problem.nodeIds : undefined
  if (Array.isArray(nodeIds) && nodeIds.length > 0) {
    // The page itself already lists the conflicts.
    if (hasConflicts && attemptedState !== 'applied') return null
    const text =
      attemptedState === 'applied' ? t('revertConflicts') : t('conflictsText', { n: String(changeset.baseRevision) })
    return <NodeList title={t('conflicts', { n: nodeIds.length })} text={text} nodeIds={nodeIds.map(String)} />
  }
  const isTooLate = isOutdated(error) || (isConflict(error) && attemptedState !== changeset.state)
  if (!isTooLate) return <ErrorPanel error={error} />
  const last = changeset.trail.at(-1)
  return (
    <div role="alert">
      <Note tone="warn">
        <strong>{t('changedMeanwhile')}</strong>
        <p>
          {last ? `${nameOf(last.actor)} ${t(last.action)}. ` : ''}
          {t('changedMeanwhileText')}
        </p>
      </Note>
    </div>
  )
}
