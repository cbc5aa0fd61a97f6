import type { ModuleRecord } from '@storey/sdk'
import { PlatformProvider } from '@storey/sdk/module'
import { Button, EmptyState, ErrorPanel, LoadingState, Note, Page, useTitle, useWords } from '@storey/web'
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import type { PageProps } from '../page-props.ts'
import { FailurePage } from './failure-page.tsx'
import { ModuleBoundary } from './module-boundary.tsx'
import { ModuleFrame } from './module-frame.tsx'
import { useModulePlatform } from './module-platform.ts'
import { type ModuleState, openModule } from './open-module.ts'
import { isLoopbackPage, originOf } from './remote-address.ts'
import { moduleWords } from './words.ts'

/** The one route of all modules. */
export default function ModulePage({ params }: PageProps): ReactNode {
  const slug = params.slug ?? ''
  // Another module is another page: nothing of the one before stays.
  return <Module key={slug} slug={slug} />
}

function Module({ slug }: { slug: string }): ReactNode {
  const t = useWords(moduleWords)
  const { client } = useShell()
  const [state, setState] = useState<ModuleState>({ step: 'looking' })
  const [round, setRound] = useState(0)
  const [mayLoad, setMayLoad] = useState(() => isLoopbackPage(location.hostname))
  const again = useCallback(() => setRound((n) => n + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks for another attempt
  useEffect(() => {
    const ending = new AbortController()
    void openModule({ client, slug, mayLoad, signal: ending.signal, tell: setState })
    return () => ending.abort()
  }, [client, slug, mayLoad, round])

  switch (state.step) {
    case 'looking':
      return <Waiting text={t('looking')} />
    case 'loading':
      return <Loading module={state.module} />
    case 'asking':
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
          <ErrorPanel error={state.error} onRetry={again} />
        </Page>
      )
    case 'failed':
      return <FailurePage slug={slug} module={state.module} failure={state.failure} onRetry={again} />
    case 'shown': {
      const { module } = state
      const fail = (message: string) =>
        setState({ step: 'failed', module, failure: { kind: 'throwsRendering', message } })
      return <Shown {...state} onError={fail} />
    }
  }
}

interface ShownProps extends Extract<ModuleState, { step: 'shown' }> {
  onError(message: string): void
}

function Shown({ module, shell: ModuleShell, builtAs, onError }: ShownProps): ReactNode {
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

/** A remote on the same machine is there at once, or something is wrong with it. */
const SLOW_MS = 6_000

function Loading({ module }: { module: ModuleRecord }): ReactNode {
  const t = useWords(moduleWords)
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
