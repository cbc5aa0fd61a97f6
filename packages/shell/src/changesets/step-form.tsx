import type { ChangesetRecord } from '@storey/sdk'
import { Button, TextArea, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { ConfirmFinalStep } from '../collaboration/confirm-final-step.tsx'
import { changesetTexts } from './texts.ts'
import type { ChangesetAction, StepRunner } from './use-step-runner.ts'

const LABELS = {
  submit: 'doSubmit',
  approve: 'doApprove',
  reject: 'doReject',
  apply: 'doApply',
  revert: 'doRevert',
} as const
const TEXTS = { apply: 'applyText', revert: 'revertText' } as const
const KINDS = { submit: 'primary', approve: 'primary', reject: 'danger', apply: 'primary', revert: 'danger' } as const

interface StepFormProps {
  changeset: ChangesetRecord
  runner: StepRunner
  actions: readonly ChangesetAction[]
  isBlocked: boolean
}

/** Final actions need a confirmation, because no step follows them. */
type FinalAction = 'reject' | 'revert'
const isFinal = (action: ChangesetAction): action is FinalAction => action === 'reject' || action === 'revert'

/** Buttons for the possible actions, with a field for a comment. */
export function StepForm({ changeset, runner, actions, isBlocked }: StepFormProps): ReactNode {
  const t = useTexts(changesetTexts)
  const [final, setFinal] = useState<FinalAction>()
  const [first] = actions
  const text = first === 'apply' || first === 'revert' ? t(TEXTS[first]) : undefined
  return (
    <>
      {text === undefined ? null : <p className="st-quiet">{text}</p>}
      <TextArea
        label={t('commentOptional')}
        rows={3}
        maxLength={2000}
        value={runner.comment}
        onText={runner.setComment}
      />
      <div className="st-row">
        {actions.map((action) => (
          <Button
            key={action}
            kind={KINDS[action]}
            label={t(LABELS[action])}
            disabled={isBlocked}
            isBusy={runner.isBusy}
            onClick={() => (isFinal(action) ? setFinal(action) : void runner.run(action))}
          />
        ))}
      </div>
      {final ? (
        <ConfirmFinalStep
          title={t(`${final}ConfirmTitle`, { title: changeset.title })}
          confirm={t(LABELS[final])}
          back={t('goBack')}
          isBusy={runner.isBusy}
          onConfirm={() => void runner.run(final).then(() => setFinal(undefined))}
          onClose={() => setFinal(undefined)}
        >
          <p>
            {final === 'reject' ? t('rejectConfirmText') : t('revertConfirmText', { n: changeset.operations.length })}
          </p>
        </ConfirmFinalStep>
      ) : null}
    </>
  )
}
