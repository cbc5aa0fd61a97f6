import type { RequestRecord } from '@storey/sdk'
import { Button, useAction, useTexts, useUnsavedGuard } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { PersonPicker } from '../people/person-picker.tsx'
import { ChangeError, ReassignedError, useRequestChange } from './request-change.tsx'
import { requestTexts } from './texts.ts'

interface AssignmentProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
}

/** Assigns a request to somebody who can sign in to the sandbox. */
export function Assignment({ request, onChange }: AssignmentProps): ReactNode {
  const t = useTexts(requestTexts)
  const { client, session } = useShell()
  // The field shows the current assignee until the user chooses somebody else. `before` is the assignee whom the choice
  // replaces: the one whom the user saw when choosing.
  const [choice, setChoice] = useState<{ id: string; before: string | null }>()
  const choose = (id: string) => setChoice({ id, before: choice ? choice.before : request.assignedUserId })
  const id = (choice?.id ?? request.assignedUserId ?? '').trim()
  useUnsavedGuard(id !== (request.assignedUserId ?? ''))
  const change = useRequestChange(request, onChange)
  const assign = useAction(async (assignedUserId: string | null, before: string | null) => {
    const check = (now: RequestRecord) => {
      if (now.assignedUserId === before || now.assignedUserId === assignedUserId) return
      // The page now shows who was assigned, so the next attempt replaces that person.
      onChange(now)
      setChoice((known) => known && { ...known, before: now.assignedUserId })
      throw new ReassignedError()
    }
    onChange(await change((options) => client.requests.update(request.id, { assignedUserId }, options), check))
    setChoice(undefined)
  })
  const container = useReturnFocus<HTMLFormElement>(assign.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void assign.run(id || null, choice ? choice.before : request.assignedUserId)
  }
  const isSame = id === (request.assignedUserId ?? '')
  return (
    <form className="st-stack" ref={container} tabIndex={-1} onSubmit={onSubmit}>
      <PersonPicker
        label={t('assignTo')}
        idHint={t('assignHint')}
        none={t('nobody')}
        value={choice?.id ?? request.assignedUserId ?? ''}
        onChange={choose}
      />
      <div className="st-row">
        <Button type="submit" label={t('assign')} disabled={isSame} isBusy={assign.isBusy} />
        <Button
          kind={request.assignedUserId === null ? 'plain' : 'quiet'}
          label={t('assignMe')}
          disabled={request.assignedUserId === session.user.id || assign.isBusy}
          onClick={() => void assign.run(session.user.id, request.assignedUserId)}
        />
      </div>
      <ChangeError error={assign.error} request={request} attemptedState={request.state} />
    </form>
  )
}
