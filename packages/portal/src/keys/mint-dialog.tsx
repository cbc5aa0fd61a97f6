import { KEY_LABEL, LIMITS } from '@storey/contract'
import type { KeyMint, MintedKey } from '@storey/sdk'
import { Button, Choice, Dialog, ErrorPanel, Note, TextField, useAction, useFormat, useWords } from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { keyWords } from './key-words.ts'

interface MintDialogProps {
  /** As many keys are active as there may be. */
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
  const t = useWords(keyWords)
  const format = useFormat()
  const { api } = usePortal()
  const form = useId()
  const [label, setLabel] = useState('')
  const [scope, setScope] = useState<Scope>('sandbox')
  const [text, setText] = useState(String(expiresInDays.default))
  const [wasSent, setWasSent] = useState(false)
  const days = Number(text)
  const isLabelGood = label.trim() !== '' && label.trim().length <= labelLength
  const isLabelPlain = !isLabelGood || LABEL.test(label.trim())
  const areDaysGood = Number.isInteger(days) && days >= expiresInDays.min && days <= expiresInDays.max
  const mint = useAction(async () => onMinted(await api.keys.mint({ label: label.trim(), scope, expiresInDays: days })))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSent(true)
    if (isLabelGood && isLabelPlain && areDaysGood) void mint.run()
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
            wasSent && !isLabelGood
              ? t('labelNeeded', { max: labelLength })
              : isLabelPlain
                ? undefined
                : t('unseenCharacters')
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
          hint={areDaysGood ? t('validUntil', { date: format.date(Date.now() + days * DAY_MS) }) : t('expiresHint')}
          error={areDaysGood ? undefined : t('expiresRange', expiresInDays)}
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
