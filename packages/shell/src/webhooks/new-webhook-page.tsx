import type { WebhookRecord } from '@storey/sdk'
import { Button, ErrorPanel, navigate, Page, Panel, useAction, useTexts, useUnsavedGuard } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useApiAccess } from '../access/api-access.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { webhookTexts } from './texts.ts'
import { useWebhookDraft } from './webhook-form.tsx'
import styles from './webhooks.module.css'

/** Creates a webhook, and shows its secret once. */
export default function NewWebhookPage(): ReactNode {
  const t = useTexts(webhookTexts)
  const access = useApiAccess()
  const mayCreate = access.may('platform.webhooks:write')
  const { draft, isChanged, check, fields } = useWebhookDraft({ url: '', events: ['building.alarm.triggered'] })
  const [created, setCreated] = useState<WebhookRecord>()
  useUnsavedGuard(isChanged && created === undefined)
  const save = useAction(async () => {
    setCreated(await access.client.webhooks.create({ url: draft.url, events: [...draft.events] }))
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (check()) void save.run()
  }
  return (
    <Page title={t('newWebhook')} back={{ to: '/webhooks', label: t('back') }}>
      <AccessNote access={access} permission="platform.webhooks:write">
        {t('whoMayWrite')}
      </AccessNote>
      {mayCreate ? (
        <Panel>
          <form className={styles.form} onSubmit={onSubmit} noValidate>
            {fields(save.error)}
            <ErrorPanel error={save.error} />
            <div className="st-row">
              <Button kind="primary" type="submit" label={t('create')} isBusy={save.isBusy} />
            </div>
          </form>
        </Panel>
      ) : null}
      {created ? (
        <SecretDialog secret={created.secret} onClose={() => navigate(`/webhooks/${created.id}`, { replace: true })} />
      ) : null}
    </Page>
  )
}
