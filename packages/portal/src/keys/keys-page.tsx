import { LIMITS } from '@storey/contract'
import type { KeyRecord, MintedKey } from '@storey/sdk'
import {
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorPanel,
  LoadingState,
  Note,
  Page,
  Panel,
  useLoad,
  useTexts,
  useToasts,
} from '@storey/web'
import { type ReactNode, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { POLL_MS } from '../app/poll-interval.ts'
import { KeyTable } from './key-table.tsx'
import { keyTexts } from './key-texts.ts'
import { MintDialog } from './mint-dialog.tsx'
import { MintedDialog } from './minted-dialog.tsx'
import { readKeys } from './read-keys.ts'

export function KeysPage(): ReactNode {
  const t = useTexts(keyTexts)
  usePageTitle(t('title'))
  const { api } = usePortal()
  const keys = useLoad(['keys'], (signal) => readKeys(api, signal), {
    pollMs: () => POLL_MS,
    refetchOnFocus: true,
    isCached: true,
  })
  const [isMinting, setIsMinting] = useState(false)
  const [minted, setMinted] = useState<MintedKey>()
  const [revoking, setRevoking] = useState<KeyRecord>()
  const max = LIMITS.key.maxActivePerOrganization
  const n = (keys.data ?? []).filter(({ status, isOperatorKey }) => status === 'active' && !isOperatorKey).length
  const mint = <Button label={t('mint')} icon="plus" kind="primary" onClick={() => setIsMinting(true)} />
  return (
    <Page title={t('title')} lead={t('lead')} actions={keys.data && keys.data.length > 0 ? mint : undefined}>
      <ErrorPanel error={keys.error} onRetry={keys.reload} />
      {n >= max ? <Note tone="warn">{t('quotaFull', { n, max })}</Note> : null}
      {keys.data ? (
        <Panel flush>
          <KeyTable
            rows={keys.data}
            onRevoke={setRevoking}
            empty={<EmptyState icon="key" title={t('emptyTitle')} text={t('emptyText')} action={mint} />}
          />
        </Panel>
      ) : keys.error ? null : (
        <LoadingState />
      )}
      {keys.data && keys.data.length > 0 ? <p className="st-quiet">{t('quotaUsed', { n, max })}</p> : null}
      {isMinting ? (
        <MintDialog
          isFull={n >= max}
          onClose={() => setIsMinting(false)}
          onMinted={(key) => {
            setIsMinting(false)
            setMinted(key)
            keys.reload()
          }}
        />
      ) : null}
      {minted ? <MintedDialog minted={minted} onClose={() => setMinted(undefined)} /> : null}
      {revoking ? (
        <RevokeDialog record={revoking} onClose={() => setRevoking(undefined)} onRevoked={keys.reload} />
      ) : null}
    </Page>
  )
}

interface RevokeDialogProps {
  record: KeyRecord
  onClose(): void
  onRevoked(): void
}

function RevokeDialog({ record, onClose, onRevoked }: RevokeDialogProps): ReactNode {
  const t = useTexts(keyTexts)
  const { api } = usePortal()
  const toasts = useToasts()
  const { keyId, label } = record
  const revoke = async () => {
    await api.keys.revoke(keyId)
    toasts.show(t('revokedDone', { label }), 'good', keyId)
    onClose()
    onRevoked()
  }
  return (
    <ConfirmDialog title={t('revokeTitle', { label })} confirmLabel={t('revoke')} onConfirm={revoke} onClose={onClose}>
      <p>{t('revokeText')}</p>
    </ConfirmDialog>
  )
}
