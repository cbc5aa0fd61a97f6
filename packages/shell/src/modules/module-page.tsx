import type { ModuleRecord } from '@storey/sdk'
import { PlatformProvider } from '@storey/sdk/module'
import { Button, EmptyState, ErrorPanel, LoadingState, Note, Page, useTexts, useTitle } from '@storey/web'
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import type { PageProps } from '../page-props.ts'
import { isLoopbackPage, originOf } from './allowed-address.ts'
import { FailurePage } from './failure-page.tsx'
import { ModuleBoundary } from './module-boundary.tsx'
import { ModuleFrame } from './module-frame.tsx'
import { useModulePlatform } from './module-platform.ts'
import { type ModuleState, openModule } from './open-module.ts'
import { moduleTexts } from './texts.ts'

/** The page that loads and shows a module. */
export default function ModulePage({ params }: PageProps): ReactNode {
  const slug = params.slug ?? ''
  // The key resets all state for another module.
  return <Module key={slug} slug={slug} />
}

function Module({ slug }: { slug: string }): ReactNode {
  const t = useTexts(moduleTexts)
  const { client } = useShell()
  const [state, setState] = useState<ModuleState>({ step: 'searching' })
  const [attempt, setAttempt] = useState(0)
  const [mayLoad, setMayLoad] = useState(() => isLoopbackPage(location.hostname))
  const retry = useCallback(() => setAttempt((n) => n + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the module again
  useEffect(() => {
    const abort = new AbortController()
    void openModule({ client, slug, mayLoad, signal: abort.signal, onState: setState })
    return () => abort.abort()
  }, [client, slug, mayLoad, attempt])

  switch (state.step) {
    case 'searching':
      return <Waiting text={t('searching')} />
    case 'loading':
      return <Loading module={state.module} />
    case 'permission':
      return (
        <Page title={state.module.name} back={{ to: '/sandbox', label: t('allModules') }}>
          <EmptyState
            icon="plug"
            title={t('permission')}
            text={t('permissionText', { origin: originOf(state.module.remoteEntryUrl) })}
            action={
              <Button kind="primary" label={t('load', { name: state.module.name })} onClick={() => setMayLoad(true)} />
            }
          />
        </Page>
      )
    case 'error':
      return (
        <Page title={t('title')} back={{ to: '/sandbox', label: t('allModules') }}>
          <ErrorPanel error={state.error} onRetry={retry} />
        </Page>
      )
    case 'failed':
      return <FailurePage slug={slug} module={state.module} failure={state.failure} onRetry={retry} />
    case 'shown': {
      const { module } = state
      const fail = (message: string) =>
        setState({ step: 'failed', module, failure: { kind: 'throwsRendering', message } })
      return <LoadedModule {...state} onError={fail} />
    }
  }
}

interface LoadedModuleProps extends Extract<ModuleState, { step: 'shown' }> {
  onError(message: string): void
}

function LoadedModule({ module, shell: ModuleShell, builtAs, onError }: LoadedModuleProps): ReactNode {
  const platform = useModulePlatform(module.slug)
  useTitle(module.name, useBuildingData().building.name)
  return (
    <ModuleFrame module={module} builtAs={builtAs}>
      <ModuleBoundary onError={onError}>
        <PlatformProvider value={platform}>
          <Suspense fallback={<LoadingState />}>
            <ModuleShell />
          </Suspense>
        </PlatformProvider>
      </ModuleBoundary>
    </ModuleFrame>
  )
}

/** If loading takes longer than this, the page shows a warning. A remote on the same machine normally loads faster. */
const SLOW_MS = 6_000

function Loading({ module }: { module: ModuleRecord }): ReactNode {
  const t = useTexts(moduleTexts)
  const { name, remoteEntryUrl } = module
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setIsSlow, SLOW_MS, true)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Waiting text={t('loading', { name, origin: originOf(remoteEntryUrl) })}>
      {isSlow ? (
        <Note tone="warn">
          <strong>{t('slow')}</strong>
          <p>{t('slowText', { name })}</p>
          <Button label={t('reloadPage')} onClick={() => location.reload()} />
        </Note>
      ) : null}
    </Waiting>
  )
}

const Waiting = ({ text, children }: { text: string; children?: ReactNode }): ReactNode => (
  <main id="main" className="st-page" tabIndex={-1}>
    <LoadingState text={text} />
    <div role="status">{children}</div>
  </main>
)
