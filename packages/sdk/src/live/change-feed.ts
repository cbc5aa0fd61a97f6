import type { CHANGE_KINDS } from '../wire-values.ts'
import type { LiveStatus } from './live-connection.ts'

/**
 * A kind of data of a building. `faults` includes fault rules, `requests` includes comments, and `layers` includes
 * layer values.
 *
 * @stable
 */
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/**
 * What is known of a change besides its kind.
 *
 * @stable
 */
export interface ChangeDetails {
  /**
   * Only in the call after a join: the revision of the graph at that time. A client that has read this revision need
   * not read the graph again.
   */
  revision?: number
}

/**
 * Reports which kinds of data of a building changed, without the data. A connection that breaks is opened again.
 *
 * @stable
 */
export interface ChangeFeed {
  readonly buildingId: string
  readonly status: LiveStatus
  /** Resolves when the client has joined the building. Rejects if the service refuses or `close` is called first. */
  readonly ready: Promise<void>
  /**
   * Called after changes, at most a few times a second. Also called after the first join with every kind, and after a
   * reconnect with the kinds that changed meanwhile. Returns the unsubscribe function.
   */
  onChanged(handler: (kinds: readonly ChangeKind[], details: ChangeDetails) => void): () => void
  /** `error` is the reason why the connection is not live, if known. */
  onStatus(handler: (status: LiveStatus, error?: Error) => void): () => void
  close(): void
}
