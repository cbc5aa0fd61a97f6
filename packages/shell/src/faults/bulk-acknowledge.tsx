import type { FaultRecord } from '@storey/sdk'
import { Button, Dialog, ErrorPanel, useAction, useTexts, useToasts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { faultTexts } from './texts.ts'

/** The maximum number of faults in one call: `LIMITS.acknowledgedFaults` of `contract`. */
const MAX_FAULTS = 1000

interface BulkAcknowledgeProps {
  /** The selected faults that are open. */
  faultIds: readonly string[]
  onDone(faults: readonly FaultRecord[]): void
}

/** Acknowledges all selected faults. */
export function BulkAcknowledge({ faultIds, onDone }: BulkAcknowledgeProps): ReactNode {
  const t = useTexts(faultTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const acknowledge = useAction(async () => {
    const faults: FaultRecord[] = []
    for (let at = 0; at < faultIds.length; at += MAX_FAULTS) {
      faults.push(...(await api.faults.acknowledgeAll(faultIds.slice(at, at + MAX_FAULTS))))
    }
    toasts.show(t('acknowledgedMany', { n: faults.filter(({ state }) => state === 'acknowledged').length }))
    onDone(faults)
  })
  return (
    <>
      <Button
        kind="primary"
        icon="check"
        label={faultIds.length === 0 ? t('acknowledgeSelected') : t('acknowledgeMany', { n: faultIds.length })}
        disabled={faultIds.length === 0}
        isBusy={acknowledge.isBusy}
        onClick={() => void acknowledge.run()}
      />
      {acknowledge.error === undefined ? null : (
        <Dialog title={t('acknowledgeFailed')} onClose={acknowledge.clear}>
          <ErrorPanel error={acknowledge.error} onRetry={() => void acknowledge.run()} />
        </Dialog>
      )}
    </>
  )
}
