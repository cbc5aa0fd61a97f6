import type { ChangesetRecord } from '@storey/sdk'
import { ErrorPanel, isOutdated, Note, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useActorName } from '../teamwork/actor.ts'
import { isConflict } from '../teamwork/conflict.ts'
import { Unsent } from '../teamwork/unsent.tsx'
import { useKeptFocus } from '../teamwork/use-kept-focus.ts'
import { NodeList } from './node-list.tsx'
import { nextStep } from './states.ts'
import { StepForm } from './step-form.tsx'
import { type Act, type OnStep, type Take, useTake } from './use-take.ts'
import { useIsWriter } from './use-writers.ts'
import { changesetWords } from './words.ts'

export interface StepsProps {
  changeset: ChangesetRecord
  /** Nodes changed since, as the page says: it would be refused. */
  hasConflicts: boolean
  onStep: OnStep
}

/** What the reader may do next with a changeset; else who may. What was written stays, whatever happens meanwhile. */
export function Steps({ changeset, hasConflicts, onStep }: StepsProps): ReactNode {
  const t = useWords(changesetWords)
  const { may } = useShell()
  const isOwn = useIsWriter(changeset)
  const take = useTake(changeset, onStep)
  const step = nextStep(changeset.state)
  const who =
    step === undefined
      ? t('ended')
      : step === 'review'
        ? isOwn
          ? t('ownReview')
          : !may('building.changesets:review') && t('noReview')
        : !may('building.changesets:write') && t('noWrite')
  const acts: Act[] = step === undefined ? [] : step === 'review' ? ['approve', 'reject'] : [step]
  const place = useKeptFocus<HTMLDivElement>(take.isBusy)
  return (
    <div className="st-stack" ref={place} tabIndex={-1}>
      <Refusal take={take} changeset={changeset} hasConflicts={hasConflicts} />
      {who ? (
        <>
          <p className="st-quiet">{who}</p>
          <Unsent text={take.comment} label={t('unsent')} />
        </>
      ) : (
        <StepForm
          key={changeset.state}
          changeset={changeset}
          take={take}
          acts={acts}
          isBlocked={step === 'apply' && hasConflicts}
        />
      )}
    </div>
  )
}

/** Why a step was refused: nodes that changed, somebody who was quicker, or whatever else the API says. */
function Refusal(props: { take: Take; changeset: ChangesetRecord; hasConflicts: boolean }): ReactNode {
  const t = useWords(changesetWords)
  const { take, changeset, hasConflicts } = props
  const { error, triedIn } = take
  const nameOf = useActorName()
  const nodeIds = isConflict(error) ? error.problem.nodeIds : undefined
  if (Array.isArray(nodeIds) && nodeIds.length > 0) {
    // The page itself names what stands in the way of applying, once it has read that.
    if (hasConflicts && triedIn !== 'applied') return null
    const text =
      triedIn === 'applied' ? t('revertConflicts') : t('conflictsText', { n: String(changeset.baseRevision) })
    return <NodeList title={t('conflicts', { n: nodeIds.length })} text={text} nodeIds={nodeIds.map(String)} />
  }
  const isLate = isOutdated(error) || (isConflict(error) && triedIn !== changeset.state)
  if (!isLate) return <ErrorPanel error={error} />
  const last = changeset.trail.at(-1)
  return (
    <div role="alert">
      <Note tone="warn">
        <strong>{t('overtaken')}</strong>
        <p>
          {last ? `${nameOf(last.actor)} ${t(last.action)}. ` : ''}
          {t('overtakenText')}
        </p>
      </Note>
    </div>
  )
}
