import type { NewSandboxAccount, SandboxAccount } from '@storey/sdk'
import {
  Button,
  ConfirmDialog,
  changeListed,
  ErrorPanel,
  LoadingState,
  Page,
  Panel,
  sameRoles,
  useLoad,
  useTexts,
  useTitle,
  useToasts,
} from '@storey/web'
import { type ReactNode, useCallback, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { isConflict } from '../collaboration/conflict.ts'
import { type AccountStep, AccountTable } from './account-table.tsx'
import { AddPersonDialog } from './add-person-dialog.tsx'
import { ChangesPanel } from './changes-panel.tsx'
import { External } from './external.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { PeopleList } from './people-list.tsx'
import { RolesDialog } from './roles-dialog.tsx'
import { peopleTexts } from './texts.ts'
import { ALL } from './use-people.ts'

/** Who can sign in to the sandbox. Administrators manage the accounts; everybody else sees the email addresses. */
export default function PeoplePage(): ReactNode {
  const t = useTexts(peopleTexts)
  const { may } = useShell()
  const { building } = useBuildingData()
  useTitle(t('title'), building.name)
  return may('platform.people:write') ? <Accounts /> : <PeopleList />
}

function Accounts(): ReactNode {
  const t = useTexts(peopleTexts)
  const { client } = useShell()
  const load = useLoad(['accounts'], async (signal) => (await client.accounts.list(ALL, { signal })).data, {
    changes: 'people',
    isCached: true,
  })
  const [isAdding, setIsAdding] = useState(false)
  const [shown, setShown] = useState<{ account: NewSandboxAccount; isNew: boolean }>()
  const [open, setOpen] = useState<{ step: AccountStep; account: SandboxAccount }>()
  const openStep = useCallback((step: AccountStep, account: SandboxAccount) => setOpen({ step, account }), [])
  const close = () => setOpen(undefined)
  /** Shows a changed account at once, and reloads the list. */
  const show = (changed?: SandboxAccount) => {
    if (changed) load.setData((load.data ?? []).map((one) => (one.id === changed.id ? changed : one)))
    load.reload()
  }
  const showPassword = (account: NewSandboxAccount, isNew: boolean) => {
    setIsAdding(false)
    close()
    setShown({ account, isNew })
    load.reload()
  }
  const add = <Button kind="primary" icon="plus" label={t('invite')} onClick={() => setIsAdding(true)} />
  if (isConflict(load.error)) return <External />
  return (
    <Page title={t('title')} lead={t('lead')} wide actions={load.data ? add : null}>
      <ErrorPanel error={load.error} onRetry={load.reload} />
      {load.data ? (
        <>
          <Panel title={t('accounts')} flush>
            <AccountTable rows={load.data} onStep={openStep} add={add} />
          </Panel>
          <ChangesPanel />
        </>
      ) : load.error === undefined ? (
        <LoadingState />
      ) : null}
      {isAdding ? (
        <AddPersonDialog onClose={() => setIsAdding(false)} onAdded={(account) => showPassword(account, true)} />
      ) : null}
      {open ? (
        <StepDialog {...open} onClose={close} onChanged={show} onPassword={(account) => showPassword(account, false)} />
      ) : null}
      {shown ? (
        <PasswordDialog
          account={shown.account}
          title={t(shown.isNew ? 'createdTitle' : 'resetDoneTitle', { name: shown.account.email })}
          onClose={() => setShown(undefined)}
        />
      ) : null}
    </Page>
  )
}

interface StepDialogProps {
  step: AccountStep
  account: SandboxAccount
  onClose(): void
  /** Called after the removal, and with an account that has changed. */
  onChanged(account?: SandboxAccount): void
  onPassword(account: NewSandboxAccount): void
}

function StepDialog({ step, account, onClose, onChanged, onPassword }: StepDialogProps): ReactNode {
  const t = useTexts(peopleTexts)
  const toasts = useToasts()
  const { client } = useShell()
  const { id, email: name } = account
  const [known, setKnown] = useState(account)
  const finish = (text: string, changed?: SandboxAccount) => {
    toasts.show(text, 'good', id)
    onClose()
    onChanged(changed)
  }
  if (step === 'roles')
    return (
      <RolesDialog
        account={account}
        onClose={onClose}
        onChanged={(changed) => finish(t('rolesChanged', { name }), changed)}
      />
    )
  if (step === 'reset')
    return (
      <ConfirmDialog
        title={t('resetTitle', { name })}
        confirmLabel={t('reset')}
        onConfirm={async () => onPassword(await client.accounts.resetPassword(id))}
        onClose={onClose}
      >
        <p>{t('resetText')}</p>
      </ConfirmDialog>
    )
  const remove = async () => {
    await changeListed(known, {
      read: () => client.accounts.get(id),
      isShown: ({ roles }) => sameRoles(roles, known.roles),
      onOutdated(now) {
        setKnown(now)
        onChanged(now)
      },
      send: (options) => client.accounts.delete(id, options),
    })
    finish(t('removed', { name }))
  }
  return (
    <ConfirmDialog title={t('removeTitle', { name })} confirmLabel={t('remove')} onConfirm={remove} onClose={onClose}>
      <p>{t('removeText')}</p>
    </ConfirmDialog>
  )
}
