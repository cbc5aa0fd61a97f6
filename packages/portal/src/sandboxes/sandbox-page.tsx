import type { SandboxRecord } from '@storey/sdk'
import { Definitions, Panel, Progress, useFormat, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { BuildingPreview } from '../preview/building-preview.tsx'
import { usePreview } from '../preview/use-preview.ts'
import { Lifetime } from './lifetime.tsx'
import { SandboxFrame } from './sandbox-frame.tsx'
import { sandboxWords } from './sandbox-words.ts'
import { useStepInWords } from './step-in-words.ts'
import { useSandbox } from './use-sandboxes.ts'

export function SandboxPage({ id }: { id: string }): ReactNode {
  const sandbox = useSandbox(id)
  // What it is now is shown at once, and what was asked for before is no longer of interest.
  const change = (record: SandboxRecord) => {
    sandbox.setData(record)
    sandbox.reload()
  }
  return (
    <SandboxFrame id={id} sandbox={sandbox} section="overview">
      {(record) => (
        <>
          <State record={record} />
          <Lifetime record={record} onChange={change} />
          <TheBuilding record={record} />
          <Facts record={record} />
        </>
      )}
    </SandboxFrame>
  )
}

/** Says something while it is made, and when that failed. */
function State({ record }: { record: SandboxRecord }): ReactNode {
  const t = useWords(sandboxWords)
  const inWords = useStepInWords()
  if (record.status === 'provisioning') {
    return (
      <Panel title={t('provisioning')}>
        <Progress percent={record.progress.percent} label={inWords(record.progress.step)} />
      </Panel>
    )
  }
  if (record.migration) {
    return (
      <Panel title={t('migrating')}>
        <Progress percent={record.progress.percent} label={inWords(record.progress.step)} />
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

function TheBuilding({ record }: { record: SandboxRecord }): ReactNode {
  const t = useWords(sandboxWords)
  const { buildingType, storeys, areaSqm, spacesMin, spacesMax, equipmentDensity, occupancyProfile, seed } = record
  const previewed = usePreview({
    ...{ buildingType, storeys, areaSqm, spacesMin, spacesMax, equipmentDensity, occupancyProfile, seed },
  })
  return (
    <Panel title={t('buildingTitle')}>
      <BuildingPreview {...previewed} recordedFingerprint={record.fingerprint} />
    </Panel>
  )
}

function Facts({ record }: { record: SandboxRecord }): ReactNode {
  const t = useWords(sandboxWords)
  const format = useFormat()
  const mono = (text: string | null) => (text === null ? '—' : <span className="mono">{text}</span>)
  return (
    <Panel title={t('facts')}>
      <Definitions
        items={[
          [t('id'), mono(record.sandboxId)],
          [t('slug'), mono(record.slug)],
          [t('apiUrl'), mono(record.apiUrl)],
          [t('organizationId'), mono(record.organizationId)],
          [t('buildingId'), mono(record.buildingId)],
          [t('seed'), mono(record.seed)],
          [t('created'), format.dateTime(record.createdAt)],
          [t('areaAsked'), t('sqm', { area: format.number(record.areaSqm) })],
          [t('storage'), <StorageUse key="storage" storage={record.storage} />],
          [t('telemetry'), t('days', { n: record.seedTelemetryDays })],
          [t('spaces'), t('range', { from: record.spacesMin, to: record.spacesMax })],
          [t('density'), t(record.equipmentDensity)],
          [t('profile'), t(record.occupancyProfile)],
        ]}
      />
    </Panel>
  )
}

/** How much of the disk it takes, and what that means when it is too much. */
function StorageUse({ storage: { usedMb, limitMb } }: Pick<SandboxRecord, 'storage'>): ReactNode {
  const t = useWords(sandboxWords)
  const format = useFormat()
  if (usedMb === null) return '—'
  const used = format.number(usedMb)
  if (limitMb === null) return t('storageUsed', { used })
  const of = t('storageOf', { used, limit: format.number(limitMb) })
  return usedMb < limitMb ? of : `${of}. ${t('storageFull')}`
}
