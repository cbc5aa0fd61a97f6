import type { FaultRecord, RequestRecord } from '@storey/sdk'
import type { IconName, Tone } from '@storey/web'

export type Severity = FaultRecord['severity']

/** Most severe first. */
export const SEVERITIES = ['critical', 'major', 'minor', 'info'] as const satisfies readonly Severity[]

export const STATE_BADGES: Record<FaultRecord['state'], { tone: Tone; icon: IconName }> = {
  open: { tone: 'bad', icon: 'cross' },
  acknowledged: { tone: 'info', icon: 'eye' },
  resolved: { tone: 'good', icon: 'check' },
}

/** The priority of a service request about a fault, by the severity of the fault. */
export const REQUEST_PRIORITIES = {
  critical: 'critical',
  major: 'high',
  minor: 'normal',
  info: 'low',
} as const satisfies Record<Severity, RequestRecord['priority']>

/** Sorts by severity, then unacknowledged first, then newest first. */
export function byUrgency(a: FaultRecord, b: FaultRecord): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    Number(a.state === 'acknowledged') - Number(b.state === 'acknowledged') ||
    b.detectedAt.localeCompare(a.detectedAt)
  )
}
