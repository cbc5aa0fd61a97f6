import {
  Button,
  Dialog,
  ErrorPanel,
  fieldErrors,
  TextField,
  useAction,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../collaboration/conflict.ts'
import { isNumberOrDate } from './snapshot-name.ts'
import { historyTexts } from './texts.ts'

interface SnapshotDialogProps {
  onClose(): void
  onSaved(): void
}

export function SnapshotDialog({ onClose, onSaved }: SnapshotDialogProps): ReactNode {
  const t = useTexts(historyTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const form = useId()
  const [name, setName] = useState('')
  const [note, setNote] = useState('')
  const save = useAction(async () => {
    const draft = { name: name.trim(), ...(note.trim() === '' ? {} : { description: note.trim() }) }
    const saved = await api.snapshots.create(draft)
    toasts.show(t('saved', { name: saved.name, n: String(saved.revision) }))
    onSaved()
    onClose()
  })
  useUnsavedGuard(name.trim() !== '' || note.trim() !== '')
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (!isNumberOrDate(name)) void save.run()
  }
  // An error of the API about the name is shown at the field.
  const isNameRefused = fieldErrors(save.error).name !== undefined
  const nameError = isNameRefused ? t(isConflict(save.error) ? 'snapshotTaken' : 'snapshotNameInvalid') : undefined
  const changeName = (text: string) => {
    setName(text)
    save.clear()
  }
  return (
    <Dialog
      title={t('createSnapshot')}
      onClose={onClose}
      footer={
        <Button
          kind="primary"
          type="submit"
          form={form}
          label={t('save')}
          isBusy={save.isBusy}
          disabled={name.trim() === ''}
        />
      }
    >
      <form id={form} className="st-stack" onSubmit={submit}>
        <p className="st-quiet">{t('createSnapshotText')}</p>
        <TextField
          label={t('snapshotName')}
          hint={t('snapshotHint')}
          error={wasSubmitted && isNumberOrDate(name) ? t('snapshotNameInvalid') : nameError}
          value={name}
          onText={changeName}
          maxLength={100}
          autoComplete="off"
          required
        />
        <TextField label={t('snapshotNote')} value={note} onText={setNote} maxLength={2000} autoComplete="off" />
        <ErrorPanel error={isNameRefused ? undefined : save.error} />
      </form>
    </Dialog>
  )
}
