import type { RequestRecord } from '@storey/sdk'
import { Button, TextField, useAction, useTexts, useUnsavedGuard } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { ChangeError, useRequestChange } from './request-change.tsx'
import { requestTexts } from './texts.ts'

interface AssignmentProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
}

/** Assigns a request. The user types the id, because the console cannot list the users of the identity provider. */
export function Assignment({ request, onChange }: AssignmentProps): ReactNode {
  const t = useTexts(requestTexts)
  const { client, session } = useShell()
  // The field shows the current assignee until the user types something.
  const [typed, setTyped] = useState<string>()
  const text = typed ?? request.assignedUserId ?? ''
  useUnsavedGuard(typed !== undefined && typed.trim() !== (request.assignedUserId ?? ''))
  const change = useRequestChange(request, onChange)
  const assign = useAction(async (assignedUserId: string | null) => {
    onChange(await change((options) => client.requests.update(request.id, { assignedUserId }, options)))
    setTyped(undefined)
  })
  const container = useReturnFocus<HTMLFormElement>(assign.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void assign.run(text.trim() || null)
  }
  const isSame = text.trim() === (request.assignedUserId ?? '')
  return (
    <form className="st-stack" ref={container} tabIndex={-1} onSubmit={onSubmit}>
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
      <ChangeError error={assign.error} request={request} attemptedState={request.state} />
    </form>
  )
}
