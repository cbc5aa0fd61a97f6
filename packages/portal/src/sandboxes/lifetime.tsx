import type { SandboxRecord } from '@storey/sdk'
import { Button, ConfirmDialog, navigate, Panel, useFormat, useToasts, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { mostDays } from './extension.ts'
import { sandboxWords } from './sandbox-words.ts'
import { useIfCurrent } from './use-if-current.ts'

interface LifetimeProps {
  record: SandboxRecord
  onChange(record: SandboxRecord): void
}

/** When it ends, and what can be done about that. */
export function Lifetime({ record, onChange }: LifetimeProps): ReactNode {
  const t = useWords(sandboxWords)
  const format = useFormat()
  const [asked, setAsked] = useState<'extend' | 'reset' | 'delete'>()
  const { name, expiresAt, extensionsRemaining, status } = record
  const why =
    extensionsRemaining === 0 ? t('extendNone') : mostDays(expiresAt, Date.now()) < 1 ? t('extendFar') : undefined
  return (
    <Panel
      title={t('lifetime')}
      lead={
        <>
          {t('lifetimeText', { date: format.dateTime(expiresAt), relative: format.relative(expiresAt) })}{' '}
          {why ?? t('extensionsLeft', { n: extensionsRemaining })}
        </>
      }
      actions={
        <>
          <Button label={t('extend')} icon="clock" disabled={why !== undefined} onClick={() => setAsked('extend')} />
          <Button
            label={t('reset')}
            icon="reset"
            disabled={status === 'provisioning'}
            onClick={() => setAsked('reset')}
          />
          <Button label={t('delete')} icon="trash" kind="danger" onClick={() => setAsked('delete')} />
        </>
      }
    >
      {asked === 'extend' ? (
        <ExtendDialog record={record} onClose={() => setAsked(undefined)} onExtended={onChange} />
      ) : asked === 'reset' ? (
        <ResetDialog record={record} onClose={() => setAsked(undefined)} onChange={onChange} />
      ) : asked === 'delete' ? (
        <DeleteDialog record={record} onClose={() => setAsked(undefined)} onChange={onChange} key={name} />
      ) : null}
    </Panel>
  )
}

interface AskProps {
  record: SandboxRecord
  onClose(): void
  onChange(record: SandboxRecord): void
}

function ResetDialog({ record, onClose, onChange }: AskProps): ReactNode {
  const t = useWords(sandboxWords)
  const { api } = usePortal()
  const toasts = useToasts()
  const { name, sandboxId } = record
  const ifCurrent = useIfCurrent(record, onChange)
  const reset = async () => {
    onChange(await ifCurrent((options) => api.sandboxes.reset(sandboxId, options)))
    toasts.show(t('resetDone', { name }), 'info', sandboxId)
    onClose()
  }
  return (
    <ConfirmDialog title={t('resetTitle', { name })} confirmLabel={t('reset')} onConfirm={reset} onClose={onClose}>
      <p>{t('resetText')}</p>
    </ConfirmDialog>
  )
}

function DeleteDialog({ record, onClose, onChange }: AskProps): ReactNode {
  const t = useWords(sandboxWords)
  const { api } = usePortal()
  const toasts = useToasts()
  const { name, sandboxId } = record
  const ifCurrent = useIfCurrent(record, onChange)
  const remove = async () => {
    await ifCurrent((options) => api.sandboxes.delete(sandboxId, options))
    toasts.show(t('deleteDone', { name }), 'good', sandboxId)
    navigate('/', { replace: true })
  }
  return (
    <ConfirmDialog
      title={t('deleteTitle', { name })}
      confirmLabel={t('delete')}
      typed={name}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('deleteText')}</p>
    </ConfirmDialog>
  )
}
