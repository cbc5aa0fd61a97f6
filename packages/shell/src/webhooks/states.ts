import type { DeliveryDetail, DeliveryRecord, WebhookRecord } from '@storey/sdk'
import type { IconName, Tone } from '@storey/web'

interface BadgeLook {
  tone: Tone
  icon?: IconName
}

/** A webhook is paused by a person, or after a number of consecutive failures. */
export const STATES = ['active', 'paused', 'pausedByFailures'] as const
export type WebhookState = (typeof STATES)[number]

export function stateOf({ status, pausedBy }: Pick<WebhookRecord, 'status' | 'pausedBy'>): WebhookState {
  if (status === 'active') return 'active'
  return pausedBy === 'failures' ? 'pausedByFailures' : 'paused'
}

export const STATE_BADGES: Record<WebhookState, BadgeLook> = {
  active: { tone: 'good' },
  paused: { tone: 'neutral', icon: 'pause' },
  pausedByFailures: { tone: 'bad' },
}

export const ATTEMPT_BADGES: Record<DeliveryRecord['status'] | DeliveryDetail['state'], BadgeLook> = {
  succeeded: { tone: 'good' },
  failed: { tone: 'warn' },
  dead_letter: { tone: 'bad' },
  pending: { tone: 'info', icon: 'clock' },
}
