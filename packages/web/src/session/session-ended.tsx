import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'

/**
 * The provider takes this session no longer. What is on the page stays there, a half-filled form above all, until the
 * person signs in again: that leaves the page, and comes back to it.
 */
export function SessionEnded({ isAsking, onStay }: { isAsking: boolean; onStay(): void }): ReactNode {
  const t = useWords(webWords)
  const signIn = <Button kind="primary" label={t('signInAgain')} onClick={() => location.reload()} />
  if (isAsking) {
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
