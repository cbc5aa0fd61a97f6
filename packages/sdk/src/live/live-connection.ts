import type { Credential } from '../credentials/credential.ts'
import type { LiveEventName, LiveEvents } from './live-events.ts'

/**
 * How a connection stands: `away` is one that broke and is being made again.
 *
 * @stable
 */
export type LiveStatus = 'connecting' | 'live' | 'away' | 'closed'

/**
 * What comes beside the fields of an event: its number in the building, and how many before it were left out because
 * this client was slow. The last value of each point in those has come, or comes in a later event.
 *
 * @stable
 */
export interface LiveMeta {
  sequence: number
  skipped?: number
}

/**
 * Which building to follow, and as whom.
 *
 * @stable
 */
export interface LiveOptions {
  /** The sandbox's `apiUrl`. */
  url: string
  credential: Credential
  buildingId: string
  /** Closes the connection. */
  signal?: AbortSignal
}

/**
 * What happens in a building, as it happens. A connection that breaks is made again and goes on after the last event
 * that came.
 *
 * @stable
 */
export interface LiveConnection {
  readonly buildingId: string
  readonly status: LiveStatus
  /** Resolves when the channel is joined; rejects when the service refuses, or `close` is called before. */
  readonly ready: Promise<void>
  /** Returns the unsubscribe function. */
  on<K extends LiveEventName>(kind: K, handler: (event: LiveEvents[K], meta: LiveMeta) => void): () => void
  /** `error` is the reason why it is away or closed, if known. */
  onStatus(handler: (status: LiveStatus, error?: Error) => void): () => void
  /** The interruption was too long and events were missed. Read the state again. */
  onSnapshotRequired(handler: () => void): () => void
  close(): void
}
