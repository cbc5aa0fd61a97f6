import { Button, EmptyState, Icon, Link, TextField, useLocale, useRoute, useTexts } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { usePageTitle } from '../app/page-title.ts'
import { deviceTexts } from './device-texts.ts'
import { codeIn, userCodeOf, verificationAddress } from './verification.ts'
import './device.css'

/** Sends the user code of `svc login` (RFC 8628) to the realm, which signs the user in and asks for confirmation. */
export function DevicePage({ issuer }: { issuer: string | null }): ReactNode {
  const t = useTexts(deviceTexts)
  usePageTitle(t('title'))
  const { query } = useRoute()
  const locale = useLocale()
  const [text, setText] = useState(codeIn(query))
  const [wasSubmitted, setWasSubmitted] = useState(false)
  if (issuer === null) {
    return (
      <main className="st-standalone">
        <EmptyState level={1} icon="device" title={t('noProvider')} text={t('noProviderText')} />
      </main>
    )
  }
  const code = userCodeOf(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (code !== undefined) location.assign(verificationAddress(issuer, code, locale))
  }
  return (
    <main className="st-standalone">
      <form className="st-panel device" onSubmit={submit} noValidate>
        <Icon name="device" size={28} />
        <h1>{t('title')}</h1>
        <p className="st-quiet">{t('text')}</p>
        <TextField
          label={t('code')}
          value={text}
          onText={setText}
          error={wasSubmitted && code === undefined ? t('wrong') : undefined}
          placeholder="BCDF-GHJK"
          maxLength={20}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
        />
        <Button type="submit" label={t('submit')} kind="primary" />
        <Link to="/">{t('toPortal')}</Link>
      </form>
    </main>
  )
}
