import { ACCOUNT_NAME, EMAIL, EMAIL_LENGTH } from '@storey/contract'
import {
  Button,
  Dialog,
  ErrorPanel,
  fieldErrors,
  RoleChoice,
  TextField,
  useAction,
  useTexts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { accountTexts } from './account-texts.ts'
import type { NewMember, Role } from './member.ts'

interface AddMemberDialogProps {
  title: string
  nameLabel: string
  nameType: 'email' | 'text'
  onClose(): void
  onAdd(member: NewMember): Promise<void>
}

const NAME_LENGTH = { email: EMAIL_LENGTH, text: 100 }
const PATTERNS = { email: new RegExp(EMAIL, 'u'), text: new RegExp(ACCOUNT_NAME, 'u') }

export function AddMemberDialog({ title, nameLabel, nameType, onClose, onAdd }: AddMemberDialogProps): ReactNode {
  const t = useTexts(accountTexts)
  const form = useId()
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<readonly Role[]>(['user'])
  const [wasSubmitted, setWasSubmitted] = useState(false)
  useUnsavedGuard(name.trim() !== '')
  const isNameValid = PATTERNS[nameType].test(name.trim())
  const add = useAction(() => onAdd({ name: name.trim(), roles: [...roles] }))
  const isTaken = nameType === 'email' && 'email' in fieldErrors(add.error)
  const nameError =
    nameType === 'email' ? 'emailNeeded' : name.trim() === '' ? 'nameNeeded' : ('invisibleCharacters' as const)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (isNameValid && roles.length > 0) void add.run()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button type="submit" form={form} label={t('add')} kind="primary" isBusy={add.isBusy} />
        </>
      }
    >
      <form id={form} className="st-stack" onSubmit={submit} noValidate>
        <TextField
          label={nameLabel}
          hint={nameType === 'text' ? t('nameHint') : undefined}
          error={wasSubmitted && !isNameValid ? t(nameError) : isTaken ? t('emailTaken') : undefined}
          type={nameType}
          value={name}
          onText={(text) => {
            setName(text)
            add.clear()
          }}
          maxLength={NAME_LENGTH[nameType]}
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
