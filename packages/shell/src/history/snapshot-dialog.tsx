import { Button, Dialog, ErrorPanel, TextField, useAction, useToasts, useWords } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save.run()
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
          value={name}
          onText={setName}
          maxLength={100}
          autoComplete="off"
          required
        />
        <TextField label={t('snapshotNote')} value={note} onText={setNote} maxLength={2000} autoComplete="off" />
        <ErrorPanel error={save.error} />
      </form>
    </Dialog>
  )
}
