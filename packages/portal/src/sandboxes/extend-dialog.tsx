import type { SandboxRecord } from '@storey/sdk'
import { Button, Dialog, ErrorPanel, TextField, useAction, useFormat, useTexts, useToasts } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { addDays, maxDays } from './extension.ts'
import { sandboxTexts } from './sandbox-texts.ts'
import { useIfUnchanged } from './use-if-unchanged.ts'

interface ExtendDialogProps {
  record: SandboxRecord
  onClose(): void
  onExtended(record: SandboxRecord): void
}

const DEFAULT_DAYS = 7

export function ExtendDialog({ record, onClose, onExtended }: ExtendDialogProps): ReactNode {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const { api } = usePortal()
  const ifUnchanged = useIfUnchanged(record, onExtended)
  const toasts = useToasts()
  const form = useId()
  const { name, sandboxId, expiresAt, extensionsRemaining } = record
  const max = maxDays(expiresAt, Date.now())
  const [text, setText] = useState(String(Math.min(DEFAULT_DAYS, max)))
  const days = Number(text)
  const isValid = Number.isInteger(days) && days >= 1 && days <= max
  const extend = useAction(async () => {
    const extended = await ifUnchanged((options) => api.sandboxes.extend(sandboxId, days, options))
    onExtended(extended)
    toasts.show(t('extended', { name, date: format.date(extended.expiresAt) }), 'good', sandboxId)
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid) void extend.run()
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
          disabled={!isValid}
          isBusy={extend.isBusy}
        />
      }
    >
      <p>{t('extendText', { n: extensionsRemaining })}</p>
      <form id={form} className="st-stack" onSubmit={submit}>
        <TextField
          label={t('extendDays')}
          hint={t('extendHint', { max })}
          error={isValid ? undefined : t('extendRange', { max })}
          type="number"
          min={1}
          max={max}
          value={text}
          onText={setText}
        />
      </form>
      {isValid ? <p>{t('extendNew', { date: format.dateTime(addDays(expiresAt, days)) })}</p> : null}
      <ErrorPanel error={extend.error} />
    </Dialog>
  )
}
