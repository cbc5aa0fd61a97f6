import type { ShellConfig } from '@storey/contract'
import { ButtonLink, EmptyState, ErrorPanel, LoadingState, SignIn, Toasts, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { BuildingProvider } from '../building/building-data.tsx'
import { LiveProvider } from '../live/live.tsx'
import { Doubt } from './doubt.tsx'
import { Frame } from './frame.tsx'
import { Gone } from './gone.tsx'
import { ShellContext, useNewShell } from './shell.ts'
import { type Place, useConfig } from './use-config.ts'
import { shellWords } from './words.ts'

/** Nothing of the building is asked for, or shown, before somebody is signed in. */
export function App(): ReactNode {
  const place = useConfig()
  const { data: config, error, isGone, reload } = place
  if (isGone) return <Gone portalUrl={config?.publicUrl} />
  if (config) {
    return (
      <SignIn issuer={config.issuer} clientId={config.clientId}>
        <SignedIn config={config} place={place} />
      </SignIn>
    )
  }
  if (error === undefined) return <LoadingState />
  return (
    <main className="st-alone">
      <ErrorPanel error={error} onRetry={reload} />
    </main>
  )
}

function SignedIn({ config, place }: { config: ShellConfig; place: Place }): ReactNode {
  const t = useWords(shellWords)
  const { buildingId } = config
  if (buildingId !== null) {
    return <Building key={buildingId} config={config} buildingId={buildingId} onDoubt={place.reload} />
  }
  if (config.status === 'failed') {
    const toPortal = <ButtonLink to={config.publicUrl} label={t('toPortal')} />
    return (
      <main className="st-alone">
        <EmptyState level={1} icon="warning" title={t('failed')} text={t('failedText')} action={toPortal} />
      </main>
    )
  }
  const [title, text] = config.isMigrating
    ? (['migrating', 'migratingText'] as const)
    : place.isReset
      ? (['resetting', 'resettingText'] as const)
      : (['notReady', 'notReadyText'] as const)
  return (
    <main className="st-alone">
      <EmptyState level={1} icon="clock" title={t(title)} text={t(text)} />
    </main>
  )
}

interface BuildingProps {
  config: ShellConfig
  buildingId: string
  onDoubt(): void
}

function Building({ config, buildingId, onDoubt }: BuildingProps): ReactNode {
  const shell = useNewShell(config, buildingId)
  return (
    <ShellContext value={shell}>
      <Toasts>
        <LiveProvider>
          <Doubt ask={onDoubt} />
          <BuildingProvider>
            <Frame />
          </BuildingProvider>
        </LiveProvider>
      </Toasts>
    </ShellContext>
  )
}
