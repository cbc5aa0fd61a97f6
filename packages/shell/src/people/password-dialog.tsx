import type { NewSandboxAccount } from '@storey/sdk'
import { Button, CopyButton, Dialog, Note, Secret, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { peopleTexts } from './texts.ts'

interface PasswordDialogProps {
  account: NewSandboxAccount
  title: string
  onClose(): void
}

/** Shows a one-time password. It cannot be shown again, so only the button “Done” closes the dialog. */
export function PasswordDialog({ account, title, onClose }: PasswordDialogProps): ReactNode {
  const t = useTexts(peopleTexts)
  const { config } = useShell()
  const { email: name, oneTimePassword: password } = account
  return (
    <Dialog
      title={title}
      dismissible={false}
      onClose={onClose}
      footer={
        <>
          <CopyButton
            kind="plain"
            label={t('copyInvitation')}
            text={t('invitation', { url: config.apiUrl, name, password })}
          />
          <Button label={t('done')} kind="primary" onClick={onClose} />
        </>
      }
    >
      <Note tone="warn">{t('createdText')}</Note>
      <div className="st-field">
        <span>{t('address')}</span>
        <span className="st-secret">
          <code>{config.apiUrl}</code>
          <CopyButton text={config.apiUrl} />
        </span>
      </div>
      <div className="st-field">
        <span>{t('oneTimePassword')}</span>
        <Secret text={password} label={t('oneTimePassword')} isInitiallyShown />
        <span className="st-field-hint">{t('oneTimeText')}</span>
      </div>
    </Dialog>
  )
}
