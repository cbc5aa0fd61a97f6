import { TIMED_JSON } from '../features/telemetry/index.ts'
import { createIngestWork, type IngestWorkParts } from './ingest-work.ts'

export interface MessageServiceParts extends IngestWorkParts {
  /** The caller of all messages: the sandbox itself. */
  messageCaller: string
  /** Throws while the storage is used up. `bytes` is the length of the payload. */
  checkCapacity(bytes: number): void
}

/**
 * The result of a message. `refused`: the message was refused or could not be stored, so the broker has to handle it.
 * `overdue`: storing took longer than the time limit and continues, so the payload is still in use. Here too the broker
 * has to handle the message.
 */
export type MessageResult = 'stored' | 'refused' | 'overdue'

/** Stores the payload of a message for a building. */
export type StoreMessage = (buildingId: string, payload: Buffer, signal: AbortSignal) => Promise<MessageResult>

/**
 * Stores the messages of connections that the broker has transferred to this stack. Neither these messages nor those
 * that the broker delivers itself have a rate limit. Each observation in them must have a timestamp: if the result of a
 * message is unknown, the broker can then deliver the message again, and nothing is stored twice.
 */
export function createMessageService(parts: MessageServiceParts): StoreMessage {
  const work = createIngestWork(parts)

  return async (buildingId, payload, signal) => {
    let leave: (() => void) | undefined
    try {
      parts.checkCapacity(payload.length)
      ;({ leave } = await work.enter(payload.length, parts.messageCaller, signal))
      const worked = await work.run(buildingId, payload, TIMED_JSON)
      if (worked.kind === 'stored') return 'stored'
      return worked.isOverdue ? 'overdue' : 'refused'
    } catch {
      return 'refused'
    } finally {
      leave?.()
    }
  }
}
