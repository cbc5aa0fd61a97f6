import type { MintedKey } from '@storey/sdk'
import { Button, Code, Dialog, Note, Secret, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { covered } from '../connect/snippets.ts'
import { keyWords } from './key-words.ts'

/** The one time a key is seen. It is left by its button alone, so that no stray key press loses it. */
export function MintedDialog({ minted, onClose }: { minted: MintedKey; onClose(): void }): ReactNode {
  const t = useWords(keyWords)
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
      <Secret text={minted.plaintext} label={t('theKey')} isShownFirst />
      <p>{t('mintedUse')}</p>
      <Code title={t('shell')} text={line} shown={covered(line, minted.plaintext)} />
    </Dialog>
  )
}
