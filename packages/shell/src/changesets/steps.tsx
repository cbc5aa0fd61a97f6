import type { ChangesetState } from '@storey/contract'
import type { ChangesetRecord } from '@storey/sdk'
import { Button, ErrorPanel, Note, TextArea, useAction, useToasts, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../work/conflict.ts'
import { Unsent } from '../work/unsent.tsx'
import { NodeList } from './node-list.tsx'
import { nextStep } from './states.ts'
import { changesetWords } from './words.ts'

export interface StepsProps {
  changeset: ChangesetRecord
  /** Nodes changed since, as the page says: it would be refused. */
  hasConflicts: boolean
  /** After a step, and after one that came too late: what changed is read anew. */
  onStep(isWritten: boolean): Promise<void>
}

type Act = 'submit' | 'approve' | 'reject' | 'apply' | 'revert'

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
  return (
    <div className="st-stack">
      <Refusal take={take} changeset={changeset} hasConflicts={hasConflicts} />
      {who ? (
        <>
          <p className="st-quiet">{who}</p>
          <Unsent text={take.comment} label={t('unsent')} />
        </>
      ) : (
        <Form take={take} acts={acts} isBlocked={step === 'apply' && hasConflicts} />
      )}
    </div>
  )
}

/** Whoever wrote any of it does not review it. */
function useIsWriter({ trail }: ChangesetRecord): boolean {
  const { user } = useShell().session
  return trail.some(
    ({ action, actor }) =>
      (action === 'create' || action === 'change') && (actor === user.email || actor === user.name),
  )
}

const LABELS = {
  submit: 'doSubmit',
  approve: 'doApprove',
  reject: 'doReject',
  apply: 'doApply',
  revert: 'doRevert',
} as const
const TEXTS = { apply: 'applyText', revert: 'revertText' } as const
const KINDS = { submit: 'primary', approve: 'primary', reject: 'danger', apply: 'primary', revert: 'danger' } as const

interface Take {
  comment: string
  setComment(text: string): void
  isBusy: boolean
  error: unknown
  /** The state in which the step that was refused was tried. */
  triedIn: ChangesetState | undefined
  run(act: Act): void
}

/** Takes a step. One that somebody else made impossible reads the changeset anew, so that the next one is right. */
function useTake({ id, state }: ChangesetRecord, onStep: StepsProps['onStep']): Take {
  const t = useWords(changesetWords)
  const { api } = useShell()
  const toasts = useToasts()
  const [comment, setComment] = useState('')
  const [triedIn, setTriedIn] = useState<ChangesetState>()
  const action = useAction(async (act: Act) => {
    const text = comment.trim() === '' ? {} : { comment: comment.trim() }
    const { changesets } = api
    try {
      const after =
        act === 'approve' || act === 'reject'
          ? await changesets.review(id, { decision: act, ...text })
          : await changesets[act](id, text)
      setComment('')
      toasts.show(t('done', { state: t(after.state) }))
      await onStep(act === 'apply' || act === 'revert')
    } catch (error) {
      if (isConflict(error)) await onStep(false)
      throw error
    }
  })
  return {
    comment,
    setComment,
    isBusy: action.isBusy,
    error: action.error,
    triedIn,
    run(act) {
      setTriedIn(state)
      void action.run(act)
    },
  }
}

function Form({ take, acts, isBlocked }: { take: Take; acts: readonly Act[]; isBlocked: boolean }): ReactNode {
  const t = useWords(changesetWords)
  const [first] = acts
  const text = first === 'apply' || first === 'revert' ? t(TEXTS[first]) : undefined
  return (
    <>
      {text === undefined ? null : <p className="st-quiet">{text}</p>}
      <TextArea label={t('commentOptional')} rows={3} maxLength={2000} value={take.comment} onText={take.setComment} />
      <div className="st-row">
        {acts.map((act) => (
          <Button
            key={act}
            kind={KINDS[act]}
            label={t(LABELS[act])}
            disabled={isBlocked}
            isBusy={take.isBusy}
            onClick={() => take.run(act)}
          />
        ))}
      </div>
    </>
  )
}

/** Why a step was refused: nodes that changed, somebody who was quicker, or whatever else the API says. */
function Refusal(props: { take: Take; changeset: ChangesetRecord; hasConflicts: boolean }): ReactNode {
  const t = useWords(changesetWords)
  const { take, changeset, hasConflicts } = props
  const { error, triedIn } = take
  const nodeIds = isConflict(error) ? error.problem.nodeIds : undefined
  if (Array.isArray(nodeIds) && nodeIds.length > 0) {
    // The page itself names what stands in the way of applying, once it has read that.
    if (hasConflicts && triedIn !== 'applied') return null
    const text =
      triedIn === 'applied' ? t('revertConflicts') : t('conflictsText', { n: String(changeset.baseRevision) })
    return <NodeList title={t('conflicts', { n: nodeIds.length })} text={text} nodeIds={nodeIds.map(String)} />
  }
  if (!isConflict(error) || triedIn === changeset.state) return <ErrorPanel error={error} />
  const last = changeset.trail.at(-1)
  return (
    <div role="alert">
      <Note tone="warn">
        <strong>{t('overtaken')}</strong>
        <p>
          {last ? `${last.actor} ${t(last.action)}. ` : ''}
          {t('overtakenText')}
        </p>
      </Note>
    </div>
  )
}
