import type { RequestState } from '@storey/contract'
import type { RequestRecord } from '@storey/sdk'
import { Button, TextArea, useAction, useTexts, useToasts, useUnsavedGuard } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { ConfirmFinalStep } from '../collaboration/confirm-final-step.tsx'
import { isConflict } from '../collaboration/conflict.ts'
import { Unsent } from '../collaboration/unsent.tsx'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { ChangeError, OutdatedError, useRequestChange } from './request-change.tsx'
import { type FinalState, isFinal, transitionsFrom } from './states.ts'
import { requestTexts } from './texts.ts'

interface TransitionsProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
  /** Called when somebody else changed the request, to reload it. */
  onStale(): void
}

/**
 * Buttons for the possible transitions of a request. A typed comment stays until a transition succeeds, even if no
 * transition is possible any more.
 */
export function Transitions({ request, onChange, onStale }: TransitionsProps): ReactNode {
  const t = useTexts(requestTexts)
  const { client, may } = useShell()
  const toasts = useToasts()
  const change = useRequestChange(request, onChange)
  const [comment, setComment] = useState('')
  useUnsavedGuard(comment.trim() !== '')
  const [attemptedState, setAttemptedState] = useState<RequestState>()
  /** A final state that waits for confirmation. */
  const [final, setFinal] = useState<FinalState>()
  const transition = useAction(async (state: RequestState) => {
    const text = comment.trim()
    try {
      const step = { state, ...(text === '' ? {} : { comment: text }) }
      const updated = await change((options) => client.requests.transition(request.id, step, options))
      setComment('')
      toasts.show(t('transitioned', { number: updated.number, state: t(updated.state) }))
      onChange(updated)
    } catch (error) {
      if (isConflict(error)) onStale()
      throw error
    } finally {
      setFinal(undefined)
    }
  })
  const container = useReturnFocus<HTMLDivElement>(transition.isBusy)
  const start = (state: RequestState) => {
    setAttemptedState(request.state)
    setFinal(isFinal(state) ? state : undefined)
    if (isFinal(state)) transition.clear()
    else void transition.run(state)
  }
  // The request may change while the confirmation is open.
  const isTooLate = final !== undefined && !transition.isBusy && attemptedState !== request.state
  const error = (
    <ChangeError
      error={isTooLate ? new OutdatedError() : transition.error}
      request={request}
      attemptedState={attemptedState}
    />
  )
  const states = transitionsFrom(request)
  const mayManage = may('service-desk.requests:manage')
  const label = (state: RequestState) => {
    if (state === 'in_progress' && request.state === 'resolved') return t('reopen')
    return state === 'new' ? t('new') : t(`to${state}`)
  }
  if (states.length === 0 || !mayManage) {
    return (
      <div className="st-stack" ref={container} tabIndex={-1}>
        {error}
        <p className="st-quiet">{states.length === 0 ? t('closedText') : t('onlyManagers')}</p>
        <Unsent text={comment} label={t('unsent')} />
      </div>
    )
  }
  return (
    <div className="st-stack" ref={container} tabIndex={-1}>
      {error}
      <TextArea label={t('commentOptional')} rows={2} maxLength={2000} value={comment} onText={setComment} />
      <div className="st-row">
        {states.map((state, n) => (
          <Button
            key={state}
            kind={state === 'cancelled' ? 'danger' : n === 0 ? 'primary' : 'plain'}
            label={label(state)}
            isBusy={transition.isBusy}
            onClick={() => start(state)}
          />
        ))}
      </div>
      {final === undefined || isTooLate ? null : (
        <ConfirmFinalStep
          title={t(`${final}ConfirmTitle`, { number: request.number })}
          confirm={t(`to${final}`)}
          back={t('keepOpen')}
          isBusy={transition.isBusy}
          onConfirm={() => void transition.run(final)}
          onClose={() => setFinal(undefined)}
        >
          <p>{t(`${final}ConfirmText`, { title: request.title })}</p>
        </ConfirmFinalStep>
      )}
    </div>
  )
}
