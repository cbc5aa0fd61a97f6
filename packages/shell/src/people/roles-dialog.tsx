import { ROLES, type Role } from '@storey/contract'
import type { SandboxAccount } from '@storey/sdk'
import {
  Button,
  Dialog,
  ErrorPanel,
  ifUnchanged,
  LoadingState,
  RoleChoice,
  useAction,
  useLoad,
  useTexts,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { peopleTexts } from './texts.ts'

interface RolesDialogProps {
  account: SandboxAccount
  onClose(): void
  onChanged(account: SandboxAccount): void
}

/**
 * Changes the roles of an account. The dialog reads the account when it opens, because the roles are replaced as a
 * whole. If somebody else changes them while it is open, saving is refused with a message.
 */
export function RolesDialog({ account, onClose, onChanged }: RolesDialogProps): ReactNode {
  const t = useTexts(peopleTexts)
  const { client } = useShell()
  const form = useId()
  const load = useLoad(['account', account.id], (signal) => client.accounts.get(account.id, { signal }))
  const [chosen, setChosen] = useState<readonly Role[]>()
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const roles = chosen ?? ROLES.filter((role) => load.data?.roles.includes(role))
  const save = useAction(async (read: SandboxAccount) =>
    onChanged(await client.accounts.update(account.id, { roles: [...roles] }, ifUnchanged(read))),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (load.data && roles.length > 0) void save.run(load.data)
  }
  return (
    <Dialog
      title={t('rolesTitle', { name: account.email })}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button
            type="submit"
            form={form}
            label={t('save')}
            kind="primary"
            disabled={!load.data}
            isBusy={save.isBusy}
          />
        </>
      }
    >
      <p className="st-quiet">{t('rolesText')}</p>
      {load.data ? (
        <form id={form} onSubmit={submit} noValidate>
          <RoleChoice
            legend={t('roles')}
            roles={roles}
            onRoles={(next) => {
              setChosen(next)
              save.clear()
            }}
            error={wasSubmitted && roles.length === 0 ? t('rolesNeeded') : undefined}
          />
        </form>
      ) : load.error === undefined ? (
        <LoadingState />
      ) : (
        <ErrorPanel error={load.error} onRetry={load.reload} />
      )}
      <ErrorPanel error={save.error} />
    </Dialog>
  )
}
