import { Button, Dialog, Note, Secret, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { accountWords } from './account-words.ts'
import type { MadeItem } from './member.ts'

/** The one time that a password or a secret is seen. */
export function MadeDialog(props: { name: string; items: readonly MadeItem[]; onClose(): void }): ReactNode {
  const t = useWords(accountWords)
  return (
    <Dialog
      title={t('madeTitle', { name: props.name })}
      dismissible={false}
      onClose={props.onClose}
      footer={<Button label={t('done')} kind="primary" onClick={props.onClose} />}
    >
      <Note tone="warn">{t('madeText')}</Note>
      {props.items.map(({ label, text, hint }) => (
        <div className="st-field" key={label}>
          <span>{label}</span>
          <Secret text={text} label={label} isShownFirst />
          {hint === undefined ? null : <span className="st-field-hint">{hint}</span>}
        </div>
      ))}
    </Dialog>
  )
}
