import type { WebhookRecord } from '@storey/sdk'
import { Button, Dialog, ErrorPanel, ifUnchanged, useAction, useTexts, useToasts, useUnsavedGuard } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { ApiAccess } from '../access/api-access.ts'
import { webhookTexts } from './texts.ts'
import { useWebhookDraft } from './webhook-form.tsx'

interface EditWebhookProps {
  webhook: WebhookRecord
  access: ApiAccess
  onChange(webhook: WebhookRecord): void
  onClose(): void
}

export function EditWebhook({ webhook, access, onChange, onClose }: EditWebhookProps): ReactNode {
  const t = useTexts(webhookTexts)
  const toasts = useToasts()
  const form = useId()
  // A change by somebody else must not be overwritten, so the form keeps the version that it began with.
  const [began] = useState(webhook)
  const { draft, isChanged, check, fields } = useWebhookDraft(began)
  useUnsavedGuard(isChanged)
  const save = useAction(async () => {
    const body = { url: draft.url, events: [...draft.events] }
    onChange(await access.client.webhooks.update(began.id, body, ifUnchanged(began)))
    toasts.show(t('saved'))
    onClose()
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (check()) void save.run()
  }
  return (
    <Dialog
      title={t('editTitle')}
      dismissible={!isChanged}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button
            kind="primary"
            type="submit"
            form={form}
            label={t('save')}
            isBusy={save.isBusy}
            disabled={!isChanged}
          />
        </>
      }
    >
      <form id={form} className="st-stack" onSubmit={onSubmit} noValidate>
        {fields(save.error)}
        <ErrorPanel error={save.error} />
      </form>
    </Dialog>
  )
}
