import type { FaultRecord } from '@storey/sdk'
import type { IconName, Tone } from '@storey/web'

export type Severity = FaultRecord['severity']

/** Most severe first. */
export const SEVERITIES = ['critical', 'major', 'minor', 'info'] as const satisfies readonly Severity[]

export const STATE_BADGES: Record<FaultRecord['state'], { tone: Tone; icon: IconName }> = {
  open: { tone: 'bad', icon: 'cross' },
  acknowledged: { tone: 'info', icon: 'eye' },
  resolved: { tone: 'good', icon: 'check' },
}

/** Sorts by severity, then unacknowledged first, then newest first. */
export function byUrgency(a: FaultRecord, b: FaultRecord): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    Number(a.state === 'acknowledged') - Number(b.state === 'acknowledged') ||
    b.detectedAt.localeCompare(a.detectedAt)
  )
}
