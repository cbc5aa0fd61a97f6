import type { ChangesetRecord } from '@storey/sdk'
import { Button, TextArea, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { ConfirmEnd } from '../teamwork/confirm-end.tsx'
import type { Act, Take } from './use-take.ts'
import { changesetWords } from './words.ts'

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
  take: Take
  acts: readonly Act[]
  isBlocked: boolean
}

/** From these no step leads on: they are asked about first. */
type End = 'reject' | 'revert'
const isEnd = (act: Act): act is End => act === 'reject' || act === 'revert'

/** The steps that can be taken, with a comment. */
export function StepForm({ changeset, take, acts, isBlocked }: StepFormProps): ReactNode {
  const t = useWords(changesetWords)
  const [end, setEnd] = useState<End>()
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
            onClick={() => (isEnd(act) ? setEnd(act) : void take.run(act))}
          />
        ))}
      </div>
      {end ? (
        <ConfirmEnd
          title={t(`ask${end}`, { title: changeset.title })}
          confirm={t(LABELS[end])}
          back={t('goBack')}
          isBusy={take.isBusy}
          onConfirm={() => void take.run(end).then(() => setEnd(undefined))}
          onClose={() => setEnd(undefined)}
        >
          <p>{end === 'reject' ? t('endreject') : t('endrevert', { n: changeset.operations.length })}</p>
        </ConfirmEnd>
      ) : null}
    </>
  )
}
