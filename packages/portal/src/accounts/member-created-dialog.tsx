import { Button, Code, CopyButton, Dialog, Note, Secret, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { masked } from '../connect/snippets.ts'
import { accountTexts } from './account-texts.ts'
import type { MemberCreated } from './member.ts'

/** Shows a new password or secret. It cannot be shown again. */
export function MemberCreatedDialog(props: MemberCreated & { name: string; onClose(): void }): ReactNode {
  const t = useTexts(accountTexts)
  const { use } = props
  return (
    <Dialog
      title={t('createdTitle', { name: props.name })}
      dismissible={false}
      wide={use !== undefined}
      onClose={props.onClose}
      footer={<Button label={t('done')} kind="primary" onClick={props.onClose} />}
    >
      <Note tone="warn">{t('createdText')}</Note>
      {props.items.map(({ label, text, isPlain, hint }) => (
        <div className="st-field" key={label}>
          <span>{label}</span>
          {isPlain ? (
            <span className="st-secret">
              <code>{text}</code>
              <CopyButton text={text} />
            </span>
          ) : (
            <Secret text={text} label={label} isInitiallyShown />
          )}
          {hint === undefined ? null : <span className="st-field-hint">{hint}</span>}
        </div>
      ))}
      {use ? (
        <>
          <p>{use.text}</p>
          <Code title={t('shell')} text={use.snippet} shown={masked(use.snippet, use.secret)} />
        </>
      ) : null}
    </Dialog>
  )
}
