import { KEY_LABEL, LIMITS } from '@storey/contract'
import type { KeyMint, MintedKey } from '@storey/sdk'
import {
  Button,
  Choice,
  Dialog,
  ErrorPanel,
  Note,
  TextField,
  useAction,
  useFormat,
  useTexts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { keyTexts } from './key-texts.ts'

interface MintDialogProps {
  /** Whether the organization has the maximum number of active keys. */
  isFull: boolean
  onClose(): void
  onMinted(key: MintedKey): void
}

type Scope = NonNullable<KeyMint['scope']>
const SCOPES: readonly Scope[] = ['sandbox', 'publish', 'full']
const { expiresInDays, labelLength, maxActivePerOrganization } = LIMITS.key
const DAY_MS = 86_400_000
const LABEL = new RegExp(KEY_LABEL, 'u')

export function MintDialog({ isFull, onClose, onMinted }: MintDialogProps): ReactNode {
  const t = useTexts(keyTexts)
  const format = useFormat()
  const { api } = usePortal()
  const form = useId()
  const [label, setLabel] = useState('')
  const [scope, setScope] = useState<Scope>('sandbox')
  const [text, setText] = useState(String(expiresInDays.default))
  const [wasSubmitted, setWasSubmitted] = useState(false)
  useUnsavedGuard(label.trim() !== '')
  const days = Number(text)
  const isLabelValid = label.trim() !== '' && label.trim().length <= labelLength
  const isLabelPlain = !isLabelValid || LABEL.test(label.trim())
  const areDaysValid = Number.isInteger(days) && days >= expiresInDays.min && days <= expiresInDays.max
  const mint = useAction(async () => onMinted(await api.keys.mint({ label: label.trim(), scope, expiresInDays: days })))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (isLabelValid && isLabelPlain && areDaysValid) void mint.run()
  }
  return (
    <Dialog
      title={t('mint')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button type="submit" form={form} label={t('mint')} kind="primary" isBusy={mint.isBusy} />
        </>
      }
    >
      {isFull ? (
        <Note tone="warn">{t('quotaFull', { n: maxActivePerOrganization, max: maxActivePerOrganization })}</Note>
      ) : null}
      <form id={form} className="st-stack" onSubmit={submit} noValidate>
        <TextField
          label={t('label')}
          hint={t('labelHint')}
          error={
            wasSubmitted && !isLabelValid
              ? t('labelNeeded', { max: labelLength })
              : isLabelPlain
                ? undefined
                : t('invisibleCharacters')
          }
          value={label}
          onText={setLabel}
          autoComplete="off"
        />
        <Choice
          label={t('scope')}
          value={scope}
          onValue={setScope}
          options={SCOPES.map((value) => ({ value, label: t(value), hint: t(`${value}Hint`) }))}
        />
        <TextField
          label={t('expiresIn')}
          unit={t('days')}
          hint={areDaysValid ? t('validUntil', { date: format.date(Date.now() + days * DAY_MS) }) : t('expiresHint')}
          error={areDaysValid ? undefined : t('expiresRange', expiresInDays)}
          type="number"
          min={expiresInDays.min}
          max={expiresInDays.max}
          value={text}
          onText={setText}
        />
      </form>
      <ErrorPanel error={mint.error} />
    </Dialog>
  )
}
