import type { ImportSummary } from '@storey/sdk'
import type { IconName, Tone } from '@storey/web'

export const STATUS_BADGES: Record<ImportSummary['status'], { tone: Tone; icon?: IconName }> = {
  queued: { tone: 'neutral', icon: 'clock' },
  running: { tone: 'info', icon: 'reset' },
  succeeded: { tone: 'good' },
  failed: { tone: 'bad' },
}

export const isActive = ({ status }: Pick<ImportSummary, 'status'>): boolean =>
  status === 'queued' || status === 'running'
