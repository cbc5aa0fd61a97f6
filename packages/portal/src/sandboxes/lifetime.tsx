import type { SandboxRecord } from '@storey/sdk'
import { Button, ConfirmDialog, navigate, Panel, useFormat, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { maxDays } from './extension.ts'
import { sandboxTexts } from './sandbox-texts.ts'
import { useIfUnchanged } from './use-if-unchanged.ts'

interface LifetimeProps {
  record: SandboxRecord
  onChange(record: SandboxRecord): void
}

/** The expiry of a sandbox, with buttons to extend, reset and delete it. */
export function Lifetime({ record, onChange }: LifetimeProps): ReactNode {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const [dialog, setDialog] = useState<'extend' | 'reset' | 'delete'>()
  const { name, expiresAt, extensionsRemaining, status } = record
  const notExtendable =
    extensionsRemaining === 0 ? t('extendNone') : maxDays(expiresAt, Date.now()) < 1 ? t('extendFar') : undefined
  return (
    <Panel
      title={t('lifetime')}
      lead={
        <>
          {t('lifetimeText', { date: format.dateTime(expiresAt), relative: format.relative(expiresAt) })}{' '}
          {notExtendable ?? t('extensionsLeft', { n: extensionsRemaining })}
        </>
      }
      actions={
        <>
          <Button
            label={t('extend')}
            icon="clock"
            disabled={notExtendable !== undefined}
            onClick={() => setDialog('extend')}
          />
          <Button
            label={t('reset')}
            icon="reset"
            disabled={status === 'provisioning'}
            onClick={() => setDialog('reset')}
          />
          <Button label={t('delete')} icon="trash" kind="danger" onClick={() => setDialog('delete')} />
        </>
      }
    >
      {dialog === 'extend' ? (
        <ExtendDialog record={record} onClose={() => setDialog(undefined)} onExtended={onChange} />
      ) : dialog === 'reset' ? (
        <ResetDialog record={record} onClose={() => setDialog(undefined)} onChange={onChange} />
      ) : dialog === 'delete' ? (
        <DeleteDialog record={record} onClose={() => setDialog(undefined)} onChange={onChange} key={name} />
      ) : null}
    </Panel>
  )
}

interface DialogProps {
  record: SandboxRecord
  onClose(): void
  onChange(record: SandboxRecord): void
}

function ResetDialog({ record, onClose, onChange }: DialogProps): ReactNode {
  const t = useTexts(sandboxTexts)
  const { api } = usePortal()
  const toasts = useToasts()
  const { name, sandboxId } = record
  const ifUnchanged = useIfUnchanged(record, onChange)
  const reset = async () => {
    onChange(await ifUnchanged((options) => api.sandboxes.reset(sandboxId, options)))
    toasts.show(t('resetDone', { name }), 'info', sandboxId)
    onClose()
  }
  return (
    <ConfirmDialog title={t('resetTitle', { name })} confirmLabel={t('reset')} onConfirm={reset} onClose={onClose}>
      <p>{t('resetText')}</p>
    </ConfirmDialog>
  )
}

function DeleteDialog({ record, onClose, onChange }: DialogProps): ReactNode {
  const t = useTexts(sandboxTexts)
  const { api } = usePortal()
  const toasts = useToasts()
  const { name, sandboxId } = record
  const ifUnchanged = useIfUnchanged(record, onChange)
  const remove = async () => {
    await ifUnchanged((options) => api.sandboxes.delete(sandboxId, options))
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
