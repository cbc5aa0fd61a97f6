import { EMAIL, EMAIL_LENGTH, type Role } from '@storey/contract'
import type { NewSandboxAccount } from '@storey/sdk'
import { Button, Dialog, ErrorPanel, fieldErrors, RoleChoice, TextField, useAction, useTexts } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { peopleTexts } from './texts.ts'

interface AddPersonDialogProps {
  onClose(): void
  onAdded(account: NewSandboxAccount): void
}

const PATTERN = new RegExp(EMAIL, 'u')

export function AddPersonDialog({ onClose, onAdded }: AddPersonDialogProps): ReactNode {
  const t = useTexts(peopleTexts)
  const { client } = useShell()
  const form = useId()
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState<Role[]>(['user'])
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const add = useAction(async () => onAdded(await client.accounts.create({ email: email.trim(), roles })))
  const isValid = PATTERN.test(email.trim())
  const isTaken = 'email' in fieldErrors(add.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (isValid && roles.length > 0) void add.run()
  }
  return (
    <Dialog
      title={t('inviteTitle')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button type="submit" form={form} label={t('add')} kind="primary" isBusy={add.isBusy} />
        </>
      }
    >
      <p className="st-quiet">{t('inviteText')}</p>
      <form id={form} className="st-stack" onSubmit={submit} noValidate>
        <TextField
          label={t('email')}
          type="email"
          value={email}
          onText={(text) => {
            setEmail(text)
            add.clear()
          }}
          error={wasSubmitted && !isValid ? t('emailNeeded') : isTaken ? t('emailTaken') : undefined}
          maxLength={EMAIL_LENGTH}
          autoComplete="off"
        />
        <RoleChoice
          legend={t('roles')}
          roles={roles}
          onRoles={setRoles}
          error={wasSubmitted && roles.length === 0 ? t('rolesNeeded') : undefined}
        />
      </form>
      <ErrorPanel error={isTaken ? undefined : add.error} />
    </Dialog>
  )
}
