import type { SandboxRecord } from '@storey/sdk'
import { Definitions, Panel, Progress, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { BuildingPreview } from '../preview/building-preview.tsx'
import { usePreview } from '../preview/use-preview.ts'
import { Lifetime } from './lifetime.tsx'
import { SandboxFrame } from './sandbox-frame.tsx'
import { sandboxTexts } from './sandbox-texts.ts'
import { useStepText } from './translate-step.ts'
import { useSandbox } from './use-sandboxes.ts'

export function SandboxPage({ id }: { id: string }): ReactNode {
  const sandbox = useSandbox(id)
  // Shows the new record immediately and restarts the polling.
  const change = (record: SandboxRecord) => {
    sandbox.setData(record)
    sandbox.reload()
  }
  return (
    <SandboxFrame id={id} sandbox={sandbox} section="overview">
      {(record) => (
        <>
          <StatusPanel record={record} />
          <Lifetime record={record} onChange={change} />
          <BuildingPanel record={record} />
          <DetailsPanel record={record} />
        </>
      )}
    </SandboxFrame>
  )
}

/** Shown while the sandbox is being created, reset or migrated, has failed, or is suspended. */
function StatusPanel({ record }: { record: SandboxRecord }): ReactNode {
  const t = useTexts(sandboxTexts)
  const stepText = useStepText()
  if (record.suspension) {
    return (
      <div className="st-problem" role="alert">
        <div className="st-stack">
          <strong>{t('suspendedTitle')}</strong>
          {record.suspension.reason && <p>{record.suspension.reason}</p>}
          <p>{t('suspendedText')}</p>
        </div>
      </div>
    )
  }
  if (record.status === 'provisioning') {
    return (
      <Panel title={t('provisioning')}>
        <Progress percent={record.progress.percent} label={stepText(record.progress.step)} />
      </Panel>
    )
  }
  if (record.migration) {
    return (
      <Panel title={t('migrating')}>
        <Progress percent={record.progress.percent} label={stepText(record.progress.step)} />
        {record.migration.failureReason && <p role="alert">{t('migrationFailed')}</p>}
      </Panel>
    )
  }
  if (record.status !== 'failed') return null
  return (
    <div className="st-problem" role="alert">
      <div className="st-stack">
        <strong>{t('failedTitle')}</strong>
        <p>{record.failureReason}</p>
        <p>{t('failedText')}</p>
      </div>
    </div>
  )
}

function BuildingPanel({ record }: { record: SandboxRecord }): ReactNode {
  const t = useTexts(sandboxTexts)
  const { buildingType, storeys, areaSqm, spacesMin, spacesMax, equipmentDensity, occupancyProfile, seed } = record
  const preview = usePreview({
    ...{ buildingType, storeys, areaSqm, spacesMin, spacesMax, equipmentDensity, occupancyProfile, seed },
  })
  return (
    <Panel title={t('buildingTitle')}>
      <BuildingPreview {...preview} recordedFingerprint={record.fingerprint} />
    </Panel>
  )
}

function DetailsPanel({ record }: { record: SandboxRecord }): ReactNode {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const mono = (text: string | null) => (text === null ? '—' : <span className="mono">{text}</span>)
  return (
    <Panel title={t('details')}>
      <Definitions
        items={[
          [t('id'), mono(record.sandboxId)],
          [t('slug'), mono(record.slug)],
          [t('apiUrl'), mono(record.apiUrl)],
          [t('organizationId'), mono(record.organizationId)],
          [t('buildingId'), mono(record.buildingId)],
          [t('seed'), mono(record.seed)],
          [t('created'), format.dateTime(record.createdAt)],
          [t('requestedArea'), t('sqm', { area: format.number(record.areaSqm) })],
          [t('storage'), <StorageUsage key="storage" storage={record.storage} />],
          [t('telemetry'), t('days', { n: record.seedTelemetryDays })],
          [t('spaces'), t('range', { from: record.spacesMin, to: record.spacesMax })],
          [t('density'), t(record.equipmentDensity)],
          [t('profile'), t(record.occupancyProfile)],
        ]}
      />
    </Panel>
  )
}

/** The used storage, with a warning when the quota is used up. */
function StorageUsage({ storage: { usedMb, limitMb } }: Pick<SandboxRecord, 'storage'>): ReactNode {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  if (usedMb === null) return '—'
  const used = format.number(usedMb)
  if (limitMb === null) return t('storageUsed', { used })
  const of = t('storageOf', { used, limit: format.number(limitMb) })
  return usedMb < limitMb ? of : `${of}. ${t('storageFull')}`
}
