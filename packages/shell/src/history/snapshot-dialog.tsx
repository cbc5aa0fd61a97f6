import { Button, Dialog, ErrorPanel, fieldFaults, TextField, useAction, useToasts, useWords } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../teamwork/conflict.ts'
import { readsAsMoment } from './snapshot-name.ts'
import { historyWords } from './words.ts'

interface SnapshotDialogProps {
  revision: number
  onClose(): void
  onSaved(): void
}

export function SnapshotDialog({ revision, onClose, onSaved }: SnapshotDialogProps): ReactNode {
  const t = useWords(historyWords)
  const { api } = useShell()
  const toasts = useToasts()
  const form = useId()
  const [name, setName] = useState('')
  const [note, setNote] = useState('')
  const save = useAction(async () => {
    await api.snapshots.create({ name: name.trim(), ...(note.trim() === '' ? {} : { description: note.trim() }) })
    toasts.show(t('saved', { name: name.trim() }))
    onSaved()
    onClose()
  })
  const [isChecked, setIsChecked] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (!readsAsMoment(name)) void save.run()
  }
  // What the API says of the name stands beside it, in words of people.
  const isRefused = fieldFaults(save.error).name !== undefined
  const fault = isRefused ? t(isConflict(save.error) ? 'snapshotTaken' : 'snapshotMoment') : undefined
  const write = (text: string) => {
    setName(text)
    save.clear()
  }
  return (
    <Dialog
      title={t('makeSnapshot')}
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
        <p className="st-quiet">{t('makeSnapshotText', { n: String(revision) })}</p>
        <TextField
          label={t('snapshotName')}
          hint={t('snapshotHint')}
          error={isChecked && readsAsMoment(name) ? t('snapshotMoment') : fault}
          value={name}
          onText={write}
          maxLength={100}
          autoComplete="off"
          required
        />
        <TextField label={t('snapshotNote')} value={note} onText={setNote} maxLength={2000} autoComplete="off" />
        <ErrorPanel error={isRefused ? undefined : save.error} />
      </form>
    </Dialog>
  )
}
