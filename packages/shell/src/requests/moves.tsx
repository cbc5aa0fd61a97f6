import type { RequestState } from '@storey/contract'
import type { RequestRecord } from '@storey/sdk'
import { Button, TextArea, useAction, useToasts, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { ConfirmEnd } from '../teamwork/confirm-end.tsx'
import { isConflict } from '../teamwork/conflict.ts'
import { Unsent } from '../teamwork/unsent.tsx'
import { useKeptFocus } from '../teamwork/use-kept-focus.ts'
import { Overtaken, Refusal, useChange } from './overtaken.tsx'
import { type EndState, isOver, movesFrom } from './states.ts'
import { requestWords } from './words.ts'

interface MovesProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
  /** Somebody else changed it: it is read anew. */
  onStale(): void
}

/** The states a request may go to from here, and no others. What was written stays, whatever happens meanwhile. */
export function Moves({ request, onChange, onStale }: MovesProps): ReactNode {
  const t = useWords(requestWords)
  const { client, may } = useShell()
  const toasts = useToasts()
  const change = useChange(request, onChange)
  const [comment, setComment] = useState('')
  const [triedIn, setTriedIn] = useState<RequestState>()
  /** What is asked about before it is done. */
  const [end, setEnd] = useState<EndState>()
  const move = useAction(async (state: RequestState) => {
    const text = comment.trim()
    try {
      const step = { state, ...(text === '' ? {} : { comment: text }) }
      const moved = await change((options) => client.requests.transition(request.id, step, options))
      setComment('')
      toasts.show(t('moved', { number: moved.number, state: t(moved.state) }))
      onChange(moved)
    } catch (error) {
      if (isConflict(error)) onStale()
      throw error
    } finally {
      setEnd(undefined)
    }
  })
  const place = useKeptFocus<HTMLDivElement>(move.isBusy)
  const take = (state: RequestState) => {
    setTriedIn(request.state)
    setEnd(isOver(state) ? state : undefined)
    if (isOver(state)) move.clear()
    else void move.run(state)
  }
  // The page may hear of it while the question is still open.
  const isLate = end !== undefined && !move.isBusy && triedIn !== request.state
  const refusal = <Refusal error={isLate ? new Overtaken() : move.error} request={request} triedIn={triedIn} />
  const moves = movesFrom(request.state)
  const mayMove = may('service-desk.requests:manage')
  const label = (state: RequestState) => {
    if (state === 'in_progress' && request.state === 'resolved') return t('reopen')
    return state === 'new' ? t('new') : t(`to${state}`)
  }
  if (moves.length === 0 || !mayMove) {
    return (
      <div className="st-stack" ref={place} tabIndex={-1}>
        {refusal}
        <p className="st-quiet">{moves.length === 0 ? t('over') : t('movesOnlyManagers')}</p>
        <Unsent text={comment} label={t('unsent')} />
      </div>
    )
  }
  return (
    <div className="st-stack" ref={place} tabIndex={-1}>
      {refusal}
      <TextArea label={t('commentOptional')} rows={2} maxLength={2000} value={comment} onText={setComment} />
      <div className="st-row">
        {moves.map((state, n) => (
          <Button
            key={state}
            kind={state === 'cancelled' ? 'danger' : n === 0 ? 'primary' : 'plain'}
            label={label(state)}
            isBusy={move.isBusy}
            onClick={() => take(state)}
          />
        ))}
      </div>
      {end === undefined || isLate ? null : (
        <ConfirmEnd
          title={t(`ask${end}`, { number: request.number })}
          confirm={t(`to${end}`)}
          back={t('keepOpen')}
          isBusy={move.isBusy}
          onConfirm={() => void move.run(end)}
          onClose={() => setEnd(undefined)}
        >
          <p>{t(`end${end}`, { title: request.title })}</p>
        </ConfirmEnd>
      )}
    </div>
  )
}
