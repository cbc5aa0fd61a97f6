import { PERMISSIONS, type Permission } from '@storey/contract'
import { Button, Dialog, ErrorPanel, Link, Note, TextField, useAction, useTexts } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import styles from './access.module.css'
import type { ApiAccess } from './api-access.ts'
import { isSandboxToken } from './sandbox-token.ts'
import { accessTexts } from './texts.ts'

interface AccessNoteProps {
  access: ApiAccess
  permission: Permission
  /** Who has the permission. */
  children: ReactNode
}

/**
 * Explains who has a permission that the user lacks, and offers to use the token of the sandbox, which has every
 * permission.
 */
export function AccessNote({ access, permission, children }: AccessNoteProps): ReactNode {
  const t = useTexts(accessTexts)
  const [isAsking, setIsAsking] = useState(false)
  if (access.usesSandboxToken) {
    return (
      <Note>
        <div className={styles.note}>
          <span>{t('withToken')}</span>
          <Button small label={t('forget')} onClick={access.forgetToken} />
        </div>
      </Note>
    )
  }
  if (access.may(permission)) return null
  return (
    <Note>
      <div className={styles.note}>
        <span>
          {children} {PERMISSIONS[permission].length > 0 ? <Remedy /> : null}
        </span>
        <Button small icon="key" label={t('useToken')} onClick={() => setIsAsking(true)} />
      </div>
      {isAsking ? <TokenDialog access={access} onClose={() => setIsAsking(false)} /> : null}
    </Note>
  )
}

/** How the user can get a role with the permission. Nobody can change their own roles, administrators included. */
function Remedy(): ReactNode {
  const t = useTexts(accessTexts)
  if (!useShell().may('platform.people:write')) return t('askAdministrator')
  return (
    <>
      {t('notOwnRoles')} <Link to="/people">{t('people')}</Link>
    </>
  )
}

function TokenDialog({ access, onClose }: { access: ApiAccess; onClose(): void }): ReactNode {
  const t = useTexts(accessTexts)
  const { publicUrl, sandboxId } = useShell().config
  const form = useId()
  const [text, setText] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const { run, isBusy, error } = useAction(() => access.enterToken(text))
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const isToken = isSandboxToken(text)
    setIsWrong(!isToken)
    if (isToken) void run().then((isDone) => isDone && onClose())
  }
  return (
    <Dialog
      title={t('tokenTitle')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button kind="primary" type="submit" form={form} label={t('tokenSubmit')} isBusy={isBusy} />
        </>
      }
    >
      <form id={form} onSubmit={onSubmit} className="st-stack" noValidate>
        <TextField
          label={t('tokenLabel')}
          hint={
            <>
              {t('tokenWhere')}{' '}
              <a href={`${publicUrl}/sandboxes/${sandboxId}/connect`} target="_blank" rel="noreferrer">
                {t('openPortal')}
              </a>
            </>
          }
          error={isWrong ? t('tokenWrong') : undefined}
          type="password"
          value={text}
          onText={setText}
          autoComplete="off"
          spellCheck={false}
        />
        <p className="st-quiet">{t('tokenKept')}</p>
        <ErrorPanel error={error} advice={t('tokenRefused')} />
      </form>
    </Dialog>
  )
}
