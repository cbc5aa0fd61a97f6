import type { ShellConfig } from '@storey/contract'
import { ButtonLink, EmptyState, ErrorPanel, LoadingState, SignIn, Toasts, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { BuildingProvider } from '../building/building-data.tsx'
import { FaultsProvider } from '../fault-marks/faults-provider.tsx'
import { LiveProvider } from '../live/live.tsx'
import { ConfigRefresh } from './config-refresh.tsx'
import { Frame } from './frame.tsx'
import { SandboxDeleted } from './sandbox-deleted.tsx'
import { ShellContext, useCreateShell } from './shell.ts'
import { shellTexts } from './texts.ts'
import { type ConfigState, useConfig } from './use-config.ts'

/** Loads and shows data of the building only after sign-in. */
export function App(): ReactNode {
  const state = useConfig()
  const { data: config, error, isDeleted, reload } = state
  if (isDeleted) return <SandboxDeleted portalUrl={config?.publicUrl} />
  if (config) {
    return (
      <SignIn config={config}>
        <SignedIn config={config} state={state} />
      </SignIn>
    )
  }
  if (error === undefined) return <LoadingState />
  return (
    <main className="st-standalone">
      <ErrorPanel error={error} onRetry={reload} />
    </main>
  )
}

function SignedIn({ config, state }: { config: ShellConfig; state: ConfigState }): ReactNode {
  const t = useTexts(shellTexts)
  const { buildingId } = config
  if (buildingId !== null) {
    return <Building key={buildingId} config={config} buildingId={buildingId} reloadConfig={state.reload} />
  }
  const toPortal = <ButtonLink to={config.publicUrl} label={t('toPortal')} />
  if (config.isSuspended) {
    return (
      <main className="st-standalone">
        <EmptyState level={1} icon="pause" title={t('suspended')} text={t('suspendedText')} action={toPortal} />
      </main>
    )
  }
  if (config.status === 'failed') {
    return (
      <main className="st-standalone">
        <EmptyState level={1} icon="warning" title={t('failed')} text={t('failedText')} action={toPortal} />
      </main>
    )
  }
  const [title, text] = config.isMigrating
    ? (['migrating', 'migratingText'] as const)
    : state.hasLostBuilding
      ? (['resetting', 'resettingText'] as const)
      : (['notReady', 'notReadyText'] as const)
  return (
    <main className="st-standalone">
      <EmptyState level={1} icon="clock" title={t(title)} text={t(text)} />
    </main>
  )
}

interface BuildingProps {
  config: ShellConfig
  buildingId: string
  reloadConfig(): void
}

function Building({ config, buildingId, reloadConfig }: BuildingProps): ReactNode {
  const shell = useCreateShell(config, buildingId)
  return (
    <ShellContext value={shell}>
      <Toasts>
        <LiveProvider>
          <ConfigRefresh reload={reloadConfig} />
          <BuildingProvider>
            <FaultsProvider>
              <Frame />
            </FaultsProvider>
          </BuildingProvider>
        </LiveProvider>
      </Toasts>
    </ShellContext>
  )
}
