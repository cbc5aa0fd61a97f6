import type { SandboxRecord } from '@storey/sdk'
import { Badge, Progress, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { sandboxTexts } from './sandbox-texts.ts'
import { useStepText } from './translate-step.ts'

const TONES = { ready: 'good', provisioning: 'info', failed: 'bad' } as const

export function StatusBadge({ status, suspension }: Pick<SandboxRecord, 'status' | 'suspension'>): ReactNode {
  const t = useTexts(sandboxTexts)
  if (suspension) return <Badge tone="bad">{t('suspended')}</Badge>
  return (
    <Badge tone={TONES[status]} {...(status === 'provisioning' ? { icon: 'clock' as const } : {})}>
      {t(status)}
    </Badge>
  )
}

/** The progress while the sandbox is being created, reset or migrated and is not suspended; otherwise the status. */
export function StatusCell({ record }: { record: SandboxRecord }): ReactNode {
  const stepText = useStepText()
  const isBusy = record.status === 'provisioning' || record.migration !== undefined
  if (!isBusy || record.suspension) return <StatusBadge {...record} />
  return <Progress percent={record.progress.percent} label={stepText(record.progress.step)} />
}
