import type { Credential } from '../credentials/credential.ts'
import type { LiveEventName, LiveEvents } from './live-events.ts'

/**
 * The status of a connection. `away`: the connection broke and is being opened again.
 *
 * @stable
 */
export type LiveStatus = 'connecting' | 'live' | 'away' | 'closed'

/**
 * The metadata of an event: its sequence number in the building, and how many events before it were skipped because
 * this client was slow. The last value of each point in skipped events is delivered with this or a later event.
 *
 * @stable
 */
export interface LiveMeta {
  sequence: number
  skipped?: number
}

/**
 * Which building to follow, and with which credential.
 *
 * @stable
 */
export interface LiveOptions {
  /** The sandbox's `apiUrl`. */
  url: string
  credential: Credential
  buildingId: string
  /** Aborting this signal closes the connection. */
  signal?: AbortSignal
}

/**
 * Delivers the events of a building as they happen. A connection that breaks reconnects and resumes after the last
 * received event.
 *
 * @stable
 */
export interface LiveConnection {
  readonly buildingId: string
  readonly status: LiveStatus
  /**
   * Resolves when the client has joined the channel. Rejects if the service refuses or `close` is called first. Events
   * from before the join are not delivered: a client that shows the state reads it after the join.
   */
  readonly ready: Promise<void>
  /** Returns the unsubscribe function. */
  on<K extends LiveEventName>(kind: K, handler: (event: LiveEvents[K], meta: LiveMeta) => void): () => void
  /** `error` is the reason why the connection is not live, if known. */
  onStatus(handler: (status: LiveStatus, error?: Error) => void): () => void
  /**
   * Called after an interruption if the service no longer has the missed events, because the interruption was too long
   * or the service was restarted. The client has to read the state again.
   */
  onSnapshotRequired(handler: () => void): () => void
  close(): void
}
