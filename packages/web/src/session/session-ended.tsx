import type { ReactNode } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'

/**
 * Shown when the session has ended because it could not be renewed. The page keeps its state, such as a half-filled
 * form, until the user signs in again.
 */
export function SessionEnded({ isDialogOpen, onStay }: { isDialogOpen: boolean; onStay(): void }): ReactNode {
  const t = useTexts(webTexts)
  const signIn = <Button kind="primary" label={t('signInAgain')} onClick={() => location.reload()} />
  if (isDialogOpen) {
    return (
      <Dialog
        title={t('sessionEnded')}
        onClose={onStay}
        footer={
          <>
            <Button label={t('stayHere')} onClick={onStay} />
            {signIn}
          </>
        }
      >
        <p>{t('sessionEndedText')}</p>
        <p className="st-quiet">{t('sessionEndedKeep')}</p>
      </Dialog>
    )
  }
  return (
    <div className="st-ended" role="alert">
      <Icon name="warning" />
      <strong>{t('sessionEnded')}</strong>
      {signIn}
    </div>
  )
}
