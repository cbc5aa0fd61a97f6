import type { SandboxRecord } from '@storey/sdk'
import { Badge, Progress, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { sandboxWords } from './sandbox-words.ts'
import { useStepInWords } from './step-in-words.ts'

const TONES = { ready: 'good', provisioning: 'info', failed: 'bad' } as const

export function StatusBadge({ status }: Pick<SandboxRecord, 'status'>): ReactNode {
  const t = useWords(sandboxWords)
  return (
    <Badge tone={TONES[status]} {...(status === 'provisioning' ? { icon: 'clock' as const } : {})}>
      {t(status)}
    </Badge>
  )
}

/** How far it has come while it is made; else its state. */
export function StatusCell({ record }: { record: SandboxRecord }): ReactNode {
  const inWords = useStepInWords()
  const isBusy = record.status === 'provisioning' || record.migration !== undefined
  if (!isBusy) return <StatusBadge status={record.status} />
  return <Progress percent={record.progress.percent} label={inWords(record.progress.step)} />
}
