import type { Database } from '@storey/kit/database'
import type { ResenderOptions } from '../features/dead-letters/index.ts'
import { findVisible } from '../features/sandboxes/index.ts'
import type { Attempt, Delivery } from './deliver.ts'
import { readTelemetryTopic } from './topics.ts'

export interface ResendParts {
  control: Database
  attempt(delivery: Delivery): Promise<Attempt>
}

/** Delivers a dead letter again to the stack of its sandbox. */
export function createResend({ control, attempt }: ResendParts): ResenderOptions['send'] {
  return async ({ sandboxId, topic, payload, arrivedAt }) => {
    const row = await findVisible(control, sandboxId)
    const named = readTelemetryTopic(topic)
    if (!row || !named) return { kind: 'failed', reason: 'there is no such sandbox' }
    const { siteId, buildingId } = named
    const delivery = { slug: row.slug, topic, siteId, buildingId, payload, arrivedAt }
    const tried = await attempt(delivery).catch(() => undefined)
    if (tried === undefined || tried.kind === 'unavailable') return { kind: 'later' }
    if (tried.kind === 'ingested') return { kind: 'stored' }
    const reason = tried.kind === 'refused' ? `refused: ${tried.refusal.code} ${tried.refusal.detail}` : tried.reason
    return { kind: 'failed', reason: reason.slice(0, 500).replaceAll('\0', '') }
  }
}
