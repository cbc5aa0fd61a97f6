import { Button, Code, Dialog, Secret, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { webhookTexts } from './texts.ts'

const VERIFY = `import { verifyWebhook } from '@storey/sdk'

const { event, data } = await verifyWebhook({
  body: rawBody, // not parsed
  headers: request.headers,
  secret: WEBHOOK_SECRET,
})`

/** The full secret of a webhook. It is shown once, so only the button in the footer closes the dialog. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }): ReactNode {
  const t = useTexts(webhookTexts)
  return (
    <Dialog
      title={t('secretTitle')}
      dismissible={false}
      wide
      onClose={onClose}
      footer={<Button kind="primary" label={t('secretDone')} onClick={onClose} />}
    >
      <p>{t('secretText')}</p>
      <Secret text={secret} label={t('secret')} isInitiallyShown />
      <Code text={VERIFY} title="TypeScript" />
    </Dialog>
  )
}
