import type { RequestState } from '@storey/contract'
import type { RequestRecord } from '@storey/sdk'
import { Button, ErrorPanel, TextArea, useAction, useToasts, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { movesFrom } from './states.ts'
import { requestWords } from './words.ts'

interface MovesProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
}

/** The states a request may go to from here, and no others. */
export function Moves({ request, onChange }: MovesProps): ReactNode {
  const t = useWords(requestWords)
  const { client, may } = useShell()
  const toasts = useToasts()
  const [comment, setComment] = useState('')
  const move = useAction(async (state: RequestState) => {
    const text = comment.trim()
    const moved = await client.requests.transition(request.id, { state, ...(text === '' ? {} : { comment: text }) })
    toasts.show(t('moved', { number: moved.number, state: t(moved.state) }))
    onChange(moved)
  })
  const moves = movesFrom(request.state)
  if (moves.length === 0) return <p className="st-quiet">{t('over')}</p>
  if (!may('service-desk.requests:manage')) return <p className="st-quiet">{t('movesOnlyManagers')}</p>
  const label = (state: RequestState) => {
    if (state === 'in_progress' && request.state === 'resolved') return t('reopen')
    return state === 'new' ? t('new') : t(`to${state}`)
  }
  return (
    <div className="st-stack">
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
      <ErrorPanel error={move.error} />
    </div>
  )
}
