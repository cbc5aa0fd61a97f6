import type { ChangeOptions, WebhookRecord } from '@storey/sdk'
import { Button, ConfirmDialog, changeShown, ErrorPanel, navigate, useAction, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import type { ApiAccess } from '../access/api-access.ts'
import { EditWebhook } from './edit-webhook.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { stateOf } from './states.ts'
import { webhookTexts } from './texts.ts'

interface WebhookActionsProps {
  webhook: WebhookRecord
  access: ApiAccess
  onChange(webhook: WebhookRecord): void
  /** Called with true before the deletion, and with false if it fails. The page must not read a deleted webhook. */
  onDeleting(isDeleting: boolean): void
}

type Open = 'edit' | 'rotate' | 'delete'

/** The actions on a webhook, for people who may write webhooks. */
export function WebhookActions({ webhook, access, onChange, onDeleting }: WebhookActionsProps): ReactNode {
  const t = useTexts(webhookTexts)
  const toasts = useToasts()
  const { webhooks } = access.client
  const { id, status, consecutiveFailures } = webhook
  const [open, setOpen] = useState<Open>()
  const [secret, setSecret] = useState<string>()
  const close = () => setOpen(undefined)
  const change = <T,>(send: (options: ChangeOptions) => Promise<T>) =>
    changeShown(webhook, { read: () => webhooks.get(id), onOutdated: onChange, send })
  const test = useAction(async () => {
    const { status, httpCode, durationMs, error } = await webhooks.test(id)
    if (status === 'succeeded') toasts.show(t('testSucceeded', { code: String(httpCode), ms: durationMs }))
    else toasts.show(t('testFailed', { reason: httpCode === null ? (error ?? '') : `HTTP ${httpCode}` }), 'bad')
  })
  const pause = useAction(async () => {
    const next = status === 'active' ? 'paused' : 'active'
    onChange(await change((options) => webhooks.update(id, { status: next }, options)))
    toasts.show(t(next === 'paused' ? 'pausedToast' : 'resumed'))
  })
  const reset = useAction(async () => {
    onChange(await change((options) => webhooks.resetFailures(id, options)))
    toasts.show(t('resetDone'))
  })
  return (
    <>
      <Button icon="send" label={t('test')} isBusy={test.isBusy} onClick={() => void test.run()} />
      {stateOf(webhook) === 'pausedByFailures' ? null : (
        <Button
          icon={status === 'active' ? 'pause' : 'play'}
          label={t(status === 'active' ? 'pause' : 'resume')}
          isBusy={pause.isBusy}
          onClick={() => void pause.run()}
        />
      )}
      {consecutiveFailures > 0 ? (
        <Button icon="reset" label={t('reset')} isBusy={reset.isBusy} onClick={() => void reset.run()} />
      ) : null}
      <Button label={t('edit')} onClick={() => setOpen('edit')} />
      <Button icon="key" label={t('rotate')} onClick={() => setOpen('rotate')} />
      <Button kind="danger" icon="trash" label={t('delete')} onClick={() => setOpen('delete')} />
      <ErrorPanel error={test.error ?? pause.error ?? reset.error} />
      {open === 'edit' ? <EditWebhook webhook={webhook} access={access} onChange={onChange} onClose={close} /> : null}
      {open === 'rotate' ? (
        <ConfirmDialog
          title={t('rotateTitle')}
          confirmLabel={t('rotate')}
          kind="primary"
          onConfirm={async () => {
            const rotated = await change((options) => webhooks.rotateSecret(id, options))
            setSecret(rotated.secret)
            close()
            onChange(await webhooks.get(id))
          }}
          onClose={close}
        >
          <p>{t('rotateText')}</p>
        </ConfirmDialog>
      ) : null}
      {open === 'delete' ? (
        <ConfirmDialog
          title={t('deleteTitle')}
          confirmLabel={t('delete')}
          onConfirm={async () => {
            onDeleting(true)
            await change((options) => webhooks.delete(id, options)).catch((error) => {
              onDeleting(false)
              throw error
            })
            toasts.show(t('deleted'))
            navigate('/webhooks', { replace: true })
          }}
          onClose={close}
        >
          <p>
            <code>{webhook.url}</code>
          </p>
          <p>{t('deleteText')}</p>
        </ConfirmDialog>
      ) : null}
      {secret === undefined ? null : <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
