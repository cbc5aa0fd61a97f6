import type { RequestRecord } from '@storey/sdk'
import { Button, useAction, useTexts, useUnsavedGuard } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { PersonPicker } from '../people/person-picker.tsx'
import { ChangeError, useRequestChange } from './request-change.tsx'
import { requestTexts } from './texts.ts'

interface AssignmentProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
}

/** Assigns a request to somebody who can sign in to the sandbox. */
export function Assignment({ request, onChange }: AssignmentProps): ReactNode {
  const t = useTexts(requestTexts)
  const { client, session } = useShell()
  // The field shows the current assignee until the user chooses somebody else.
  const [chosen, setChosen] = useState<string>()
  const id = (chosen ?? request.assignedUserId ?? '').trim()
  useUnsavedGuard(id !== (request.assignedUserId ?? ''))
  const change = useRequestChange(request, onChange)
  const assign = useAction(async (assignedUserId: string | null) => {
    onChange(await change((options) => client.requests.update(request.id, { assignedUserId }, options)))
    setChosen(undefined)
  })
  const container = useReturnFocus<HTMLFormElement>(assign.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void assign.run(id || null)
  }
  const isSame = id === (request.assignedUserId ?? '')
  return (
    <form className="st-stack" ref={container} tabIndex={-1} onSubmit={onSubmit}>
      <PersonPicker
        label={t('assignTo')}
        idHint={t('assignHint')}
        none={t('nobody')}
        value={chosen ?? request.assignedUserId ?? ''}
        onChange={setChosen}
      />
      <div className="st-row">
        <Button type="submit" label={t('assign')} disabled={isSame} isBusy={assign.isBusy} />
        <Button
          kind={request.assignedUserId === null ? 'plain' : 'quiet'}
          label={t('assignMe')}
          disabled={request.assignedUserId === session.user.id || assign.isBusy}
          onClick={() => void assign.run(session.user.id)}
        />
      </div>
      <ChangeError error={assign.error} request={request} attemptedState={request.state} />
    </form>
  )
}
