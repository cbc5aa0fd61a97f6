import { type ReactNode, useSyncExternalStore } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { unsaved } from './unsaved.ts'

/** Asks whether to discard unsaved input, for `useUnsavedGuard`. */
export function LeaveDialog(): ReactNode {
  const t = useTexts(webTexts)
  const isOpen = useSyncExternalStore(unsaved.subscribe, () => unsaved.waiting !== undefined)
  if (!isOpen) return null
  const stay = () => unsaved.answer(false)
  return (
    <Dialog
      title={t('leaveTitle')}
      onClose={stay}
      footer={
        <>
          <Button label={t('keepEditing')} onClick={stay} />
          <Button kind="danger" label={t('discardChanges')} onClick={() => unsaved.answer(true)} />
        </>
      }
    >
      <p>{t('leaveText')}</p>
    </Dialog>
  )
}
