import type { SandboxConnection, SandboxRecord } from '@storey/sdk'
import {
  Definitions,
  EmptyState,
  ErrorPanel,
  isNotFound,
  LoadingState,
  Panel,
  Secret,
  useLoad,
  useTexts,
} from '@storey/web'
import { type ReactNode, useEffect } from 'react'
import { usePortal } from '../app/api.tsx'
import { SandboxFrame } from '../sandboxes/sandbox-frame.tsx'
import { useSandbox } from '../sandboxes/use-sandboxes.ts'
import { connectTexts } from './connect-texts.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

export function ConnectPage({ id }: { id: string }): ReactNode {
  const t = useTexts(connectTexts)
  const sandbox = useSandbox(id)
  return (
    <SandboxFrame id={id} sandbox={sandbox} section="connect">
      {(record) =>
        record.status === 'ready' ? (
          <Connection record={record} onNotFound={sandbox.reload} />
        ) : (
          <EmptyState icon="plug" title={t('notReady')} text={t('notReadyText')} />
        )
      }
    </SandboxFrame>
  )
}

function Connection({ record, onNotFound }: { record: SandboxRecord; onNotFound(): void }): ReactNode {
  const t = useTexts(connectTexts)
  const { api, config } = usePortal()
  const { data, error, reload } = useLoad(['connection', record.sandboxId], (signal) =>
    api.sandboxes.connection(record.sandboxId, { signal }),
  )
  useEffect(() => {
    if (isNotFound(error)) onNotFound()
  }, [error, onNotFound])
  if (error) return <ErrorPanel error={error} onRetry={reload} />
  if (!data) return <LoadingState />
  return (
    <>
      <Panel title={t('how')}>
        <SnippetTabs
          sandboxId={record.sandboxId}
          serviceUrl={config.publicUrl}
          version={config.version}
          connection={data}
        />
      </Panel>
      <Panel title={t('details')}>
        <Details connection={data} />
      </Panel>
    </>
  )
}

function Details({ connection }: { connection: SandboxConnection }): ReactNode {
  const t = useTexts(connectTexts)
  const { apiUrl, token, organizationId, siteId, buildingId, mqtt } = connection
  const mono = (text: string) => <span className="mono">{text}</span>
  return (
    <div className="st-stack">
      <div className="st-field">
        <span>{t('token')}</span>
        <Secret text={token} label={t('token')} />
        <span className="st-field-hint">{t('tokenText')}</span>
      </div>
      <Definitions
        items={[
          [
            t('apiUrl'),
            <a key="api" className="mono" href={`${apiUrl}/docs`} title={t('reference')}>
              {apiUrl}
            </a>,
          ],
          [t('organizationId'), mono(organizationId)],
          [t('siteId'), mono(siteId)],
          [t('buildingId'), mono(buildingId)],
          ...(mqtt ? ([[t('mqttUrl'), mono(mqtt.url)]] as const) : []),
        ]}
      />
    </div>
  )
}
