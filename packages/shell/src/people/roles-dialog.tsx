import { ROLES, type Role } from '@storey/contract'
import type { SandboxAccount } from '@storey/sdk'
import { Button, Dialog, ErrorPanel, RoleChoice, useAction, useTexts } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { peopleTexts } from './texts.ts'

interface RolesDialogProps {
  account: SandboxAccount
  onClose(): void
  onChanged(account: SandboxAccount): void
}

export function RolesDialog({ account, onClose, onChanged }: RolesDialogProps): ReactNode {
  const t = useTexts(peopleTexts)
  const { client } = useShell()
  const form = useId()
  const [roles, setRoles] = useState<Role[]>(ROLES.filter((role) => account.roles.includes(role)))
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const save = useAction(async () => onChanged(await client.accounts.update(account.id, { roles })))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (roles.length > 0) void save.run()
  }
  return (
    <Dialog
      title={t('rolesTitle', { name: account.email })}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button type="submit" form={form} label={t('save')} kind="primary" isBusy={save.isBusy} />
        </>
      }
    >
      <p className="st-quiet">{t('rolesText')}</p>
      <form id={form} onSubmit={submit} noValidate>
        <RoleChoice
          legend={t('roles')}
          roles={roles}
          onRoles={(next) => {
            setRoles(next)
            save.clear()
          }}
          error={wasSubmitted && roles.length === 0 ? t('rolesNeeded') : undefined}
        />
      </form>
      <ErrorPanel error={save.error} />
    </Dialog>
  )
}
