import type { RequestState } from '@storey/contract'
import type { RequestRecord } from '@storey/sdk'
import { Button, ErrorPanel, Note, TextArea, useAction, useToasts, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../work/conflict.ts'
import { Unsent } from '../work/unsent.tsx'
import { movesFrom } from './states.ts'
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
  const [comment, setComment] = useState('')
  const [triedIn, setTriedIn] = useState<RequestState>()
  const move = useAction(async (state: RequestState) => {
    const text = comment.trim()
    setTriedIn(request.state)
    try {
      const moved = await client.requests.transition(request.id, { state, ...(text === '' ? {} : { comment: text }) })
      setComment('')
      toasts.show(t('moved', { number: moved.number, state: t(moved.state) }))
      onChange(moved)
    } catch (error) {
      if (isConflict(error)) onStale()
      throw error
    }
  })
  const refusal =
    isConflict(move.error) && triedIn !== request.state ? (
      <div role="alert">
        <Note tone="warn">
          <strong>{t('overtaken')}</strong>
          <p>{t('overtakenText', { state: t(request.state) })}</p>
        </Note>
      </div>
    ) : (
      <ErrorPanel error={move.error} />
    )
  const moves = movesFrom(request.state)
  const mayMove = may('service-desk.requests:manage')
  if (moves.length === 0 || !mayMove) {
    return (
      <div className="st-stack">
        {refusal}
        <p className="st-quiet">{moves.length === 0 ? t('over') : t('movesOnlyManagers')}</p>
        <Unsent text={comment} label={t('unsent')} />
      </div>
    )
  }
  const label = (state: RequestState) => {
    if (state === 'in_progress' && request.state === 'resolved') return t('reopen')
    return state === 'new' ? t('new') : t(`to${state}`)
  }
  return (
    <div className="st-stack">
      {refusal}
      <TextArea label={t('commentOptional')} rows={2} maxLength={2000} value={comment} onText={setComment} />
      <div className="st-row">
        {moves.map((state, n) => (
          <Button
            key={state}
            kind={state === 'cancelled' ? 'danger' : n === 0 ? 'primary' : 'plain'}
            label={label(state)}
            isBusy={move.isBusy}
            onClick={() => void move.run(state)}
          />
        ))}
      </div>
    </div>
  )
}
