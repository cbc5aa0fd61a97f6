import { ErrorPanel, isNotFound, LoadingState, Page, useRoute, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { consoleAddress } from './console-address.ts'
import { SandboxNotFoundPage } from './sandbox-not-found-page.tsx'
import { sandboxTexts } from './sandbox-texts.ts'

/**
 * Opens the console of a sandbox, if possible signed in as its owner. A link that signs the owner in works once, so
 * each visit requests a new one.
 */
export function ConsolePage({ reference }: { reference: string }): ReactNode {
  const t = useTexts(sandboxTexts)
  const { api } = usePortal()
  const { query } = useRoute()
  const path = query.get('path') ?? undefined
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  usePageTitle(t('open'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt requests a new link
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    setError(undefined)
    consoleAddress(api, reference, { path, signal }).then(
      (address) => location.replace(address),
      (reason) => signal.aborted || setError(reason),
    )
    return () => controller.abort()
  }, [api, reference, path, attempt])
  if (isNotFound(error)) return <SandboxNotFoundPage />
  return (
    <Page title={t('open')} back={{ to: '/', label: t('back') }}>
      <ErrorPanel error={error} onRetry={() => setAttempt(attempt + 1)} />
      {error ? null : <LoadingState />}
    </Page>
  )
}
