import type { SandboxRecord } from '@storey/sdk'
import { Button, Dialog, ErrorPanel, TextField, useAction, useFormat, useToasts, useWords } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { mostDays, movedBy } from './extension.ts'
import { sandboxWords } from './sandbox-words.ts'
import { useIfCurrent } from './use-if-current.ts'

interface ExtendDialogProps {
  record: SandboxRecord
  onClose(): void
  onExtended(record: SandboxRecord): void
}

const USUAL_DAYS = 7

export function ExtendDialog({ record, onClose, onExtended }: ExtendDialogProps): ReactNode {
  const t = useWords(sandboxWords)
  const format = useFormat()
  const { api } = usePortal()
  const ifCurrent = useIfCurrent(record, onExtended)
  const toasts = useToasts()
  const form = useId()
  const { name, sandboxId, expiresAt, extensionsRemaining } = record
  const max = mostDays(expiresAt, Date.now())
  const [text, setText] = useState(String(Math.min(USUAL_DAYS, max)))
  const days = Number(text)
  const isGood = Number.isInteger(days) && days >= 1 && days <= max
  const extend = useAction(async () => {
    const extended = await ifCurrent((options) => api.sandboxes.extend(sandboxId, days, options))
    onExtended(extended)
    toasts.show(t('extended', { name, date: format.date(extended.expiresAt) }), 'good', sandboxId)
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isGood) void extend.run()
  }
  return (
    <Dialog
      title={t('extendTitle', { name })}
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form={form}
          label={t('extend')}
          kind="primary"
          disabled={!isGood}
          isBusy={extend.isBusy}
        />
      }
    >
      <p>{t('extendText', { n: extensionsRemaining })}</p>
      <form id={form} className="st-stack" onSubmit={submit}>
        <TextField
          label={t('extendDays')}
          hint={t('extendHint', { max })}
          error={isGood ? undefined : t('extendRange', { max })}
          type="number"
          min={1}
          max={max}
          value={text}
          onText={setText}
        />
      </form>
      {isGood ? <p>{t('extendNew', { date: format.dateTime(movedBy(expiresAt, days)) })}</p> : null}
      <ErrorPanel error={extend.error} />
    </Dialog>
  )
}
