import type { MintedKey } from '@storey/sdk'
import { Button, Code, Dialog, Note, Secret, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { masked } from '../connect/snippets.ts'
import { keyTexts } from './key-texts.ts'

/**
 * Shows a new key, which cannot be shown again. Only the button closes the dialog, so that pressing Escape or clicking
 * outside by accident does not lose the key.
 */
export function MintedDialog({ minted, onClose }: { minted: MintedKey; onClose(): void }): ReactNode {
  const t = useTexts(keyTexts)
  const line = `export SVC_API_TOKEN=${minted.plaintext}`
  return (
    <Dialog
      title={t('mintedTitle', { label: minted.label })}
      dismissible={false}
      wide
      onClose={onClose}
      footer={<Button label={t('mintedDone')} kind="primary" onClick={onClose} />}
    >
      <Note tone="warn">{t('mintedText')}</Note>
      <Secret text={minted.plaintext} label={t('theKey')} isInitiallyShown />
      <p>{t('mintedUse')}</p>
      <Code title={t('shell')} text={line} shown={masked(line, minted.plaintext)} />
    </Dialog>
  )
}
