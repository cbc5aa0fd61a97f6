import { type ChangesetRecord, StoreyError } from '@storey/sdk'
import { Button, ErrorPanel, TextArea, useAction, useToasts, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { NodeList } from './node-list.tsx'
import { nextStep } from './states.ts'
import { changesetWords } from './words.ts'

interface StepsProps {
  changeset: ChangesetRecord
  /** Nodes changed since, as the page says: it would be refused. */
  hasConflicts: boolean
  /** After a step: everything is read anew. */
  onStep(): Promise<void>
}

type Act = 'submit' | 'approve' | 'reject' | 'apply' | 'revert'

/** What the reader may do next with a changeset; else who may. */
export function Steps({ changeset, hasConflicts, onStep }: StepsProps): ReactNode {
  const t = useWords(changesetWords)
  const { may } = useShell()
  const isOwn = useIsWriter(changeset)
  const step = nextStep(changeset.state)
  if (step === undefined) return <p className="st-quiet">{t('ended')}</p>
  if (step === 'review') {
    if (isOwn) return <p className="st-quiet">{t('ownReview')}</p>
    if (!may('building.changesets:review')) return <p className="st-quiet">{t('noReview')}</p>
    return <Form changeset={changeset} acts={['approve', 'reject']} isBlocked={false} onStep={onStep} />
  }
  if (!may('building.changesets:write')) return <p className="st-quiet">{t('noWrite')}</p>
  return <Form changeset={changeset} acts={[step]} isBlocked={step === 'apply' && hasConflicts} onStep={onStep} />
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

interface FormProps extends Omit<StepsProps, 'hasConflicts'> {
  acts: readonly Act[]
  isBlocked: boolean
}

function Form({ changeset, acts, isBlocked, onStep }: FormProps): ReactNode {
  const t = useWords(changesetWords)
  const { api } = useShell()
  const toasts = useToasts()
  const [comment, setComment] = useState('')
  const action = useAction(async (act: Act) => {
    const text = comment.trim() === '' ? {} : { comment: comment.trim() }
    const { changesets } = api
    const { id } = changeset
    const after =
      act === 'approve' || act === 'reject'
        ? await changesets.review(id, { decision: act, ...text })
        : await changesets[act](id, text)
    toasts.show(t('done', { state: t(after.state) }))
    await onStep()
  })
  const [first] = acts
  const text = first === 'apply' || first === 'revert' ? t(TEXTS[first]) : undefined
  return (
    <div className="st-stack">
      {text === undefined ? null : <p className="st-quiet">{text}</p>}
      <TextArea label={t('commentOptional')} rows={3} maxLength={2000} value={comment} onText={setComment} />
      <div className="st-row">
        {acts.map((act) => (
          <Button
            key={act}
            kind={KINDS[act]}
            label={t(LABELS[act])}
            disabled={isBlocked}
            isBusy={action.isBusy}
            onClick={() => void action.run(act)}
          />
        ))}
      </div>
      <Refusal error={action.error} baseRevision={changeset.baseRevision} isRevert={first === 'revert'} />
    </div>
  )
}

function Refusal(props: { error: unknown; baseRevision: number; isRevert: boolean }): ReactNode {
  const t = useWords(changesetWords)
  const { error, baseRevision, isRevert } = props
  const nodeIds = error instanceof StoreyError && error.code === 'CONFLICT' ? error.problem.nodeIds : undefined
  if (!Array.isArray(nodeIds) || nodeIds.length === 0) return <ErrorPanel error={error} />
  return (
    <NodeList
      title={t('conflicts', { n: nodeIds.length })}
      text={isRevert ? t('revertConflicts') : t('conflictsText', { n: String(baseRevision) })}
      nodeIds={nodeIds.map(String)}
    />
  )
}
