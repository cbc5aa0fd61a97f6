import { Button, Code, CopyButton, Dialog, Note, Secret, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { covered } from '../connect/snippets.ts'
import { accountWords } from './account-words.ts'
import type { Made } from './member.ts'

/** The one time that a password or a secret is seen. */
export function MadeDialog(props: Made & { name: string; onClose(): void }): ReactNode {
  const t = useWords(accountWords)
  const { use } = props
  return (
    <Dialog
      title={t('madeTitle', { name: props.name })}
      dismissible={false}
      wide={use !== undefined}
      onClose={props.onClose}
      footer={<Button label={t('done')} kind="primary" onClick={props.onClose} />}
    >
      <Note tone="warn">{t('madeText')}</Note>
      {props.items.map(({ label, text, isPlain, hint }) => (
        <div className="st-field" key={label}>
          <span>{label}</span>
          {isPlain ? (
            <span className="st-secret">
              <code>{text}</code>
              <CopyButton text={text} />
            </span>
          ) : (
            <Secret text={text} label={label} isShownFirst />
          )}
          {hint === undefined ? null : <span className="st-field-hint">{hint}</span>}
        </div>
      ))}
      {use ? (
        <>
          <p>{use.text}</p>
          <Code title={t('shell')} text={use.snippet} shown={covered(use.snippet, use.covers)} />
        </>
      ) : null}
    </Dialog>
  )
}
