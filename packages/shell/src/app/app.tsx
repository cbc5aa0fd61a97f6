import type { ShellConfig } from '@storey/contract'
import { EmptyState, ErrorPanel, LoadingState, loadConfig, SignIn, Toasts, useLoad, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { BuildingProvider } from '../building/building-data.tsx'
import { LiveProvider } from '../live/live.tsx'
import { Frame } from './frame.tsx'
import { ShellContext, useNewShell } from './shell.ts'
import { shellWords } from './words.ts'

const AGAIN_MS = 3000

/** Nothing of the building is asked for, or shown, before somebody is signed in. */
export function App(): ReactNode {
  const config = useLoad(() => loadConfig<ShellConfig>(), [], {
    again: ({ buildingId }) => (buildingId === null ? AGAIN_MS : undefined),
  })
  if (config.data) {
    return (
      <SignIn issuer={config.data.issuer} clientId={config.data.clientId}>
        <SignedIn config={config.data} />
      </SignIn>
    )
  }
  if (config.error === undefined) return <LoadingState />
  return (
    <main className="st-alone">
      <ErrorPanel error={config.error} onRetry={config.reload} />
    </main>
  )
}

function SignedIn({ config }: { config: ShellConfig }): ReactNode {
  const t = useWords(shellWords)
  if (config.buildingId !== null) return <Building config={config} buildingId={config.buildingId} />
  return (
    <main className="st-alone">
      <EmptyState level={1} icon="clock" title={t('notReady')} text={t('notReadyText')} />
    </main>
  )
}

function Building({ config, buildingId }: { config: ShellConfig; buildingId: string }): ReactNode {
  const shell = useNewShell(config, buildingId)
  return (
    <ShellContext value={shell}>
      <Toasts>
        <LiveProvider>
          <BuildingProvider>
            <Frame />
          </BuildingProvider>
        </LiveProvider>
      </Toasts>
    </ShellContext>
  )
}
