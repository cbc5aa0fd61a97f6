import type { RequestRecord } from '@storey/sdk'
import { Button, TextField, useAction, useWords } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useKeptFocus } from '../teamwork/use-kept-focus.ts'
import { Refusal, useChange } from './overtaken.tsx'
import { requestWords } from './words.ts'

interface AssignmentProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
}

/** People live in the identity provider, which the shell does not list: their ids are typed, or one takes it oneself. */
export function Assignment({ request, onChange }: AssignmentProps): ReactNode {
  const t = useWords(requestWords)
  const { client, session } = useShell()
  // What is typed stands until it is saved; else the field follows the request.
  const [typed, setTyped] = useState<string>()
  const text = typed ?? request.assignedUserId ?? ''
  const change = useChange(request, onChange)
  const assign = useAction(async (assignedUserId: string | null) => {
    onChange(await change((options) => client.requests.update(request.id, { assignedUserId }, options)))
    setTyped(undefined)
  })
  const place = useKeptFocus<HTMLFormElement>(assign.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void assign.run(text.trim() || null)
  }
  const isSame = text.trim() === (request.assignedUserId ?? '')
  return (
    <form className="st-stack" ref={place} tabIndex={-1} onSubmit={onSubmit}>
      <TextField
        label={t('assignTo')}
        hint={t('assignHint')}
        value={text}
        onText={setTyped}
        maxLength={200}
        autoComplete="off"
      />
      <div className="st-row">
        <Button type="submit" label={t('assign')} disabled={isSame} isBusy={assign.isBusy} />
        <Button
          kind="quiet"
          label={t('assignMe')}
          disabled={request.assignedUserId === session.user.id || assign.isBusy}
          onClick={() => void assign.run(session.user.id)}
        />
      </div>
      <Refusal error={assign.error} request={request} triedIn={request.state} />
    </form>
  )
}
