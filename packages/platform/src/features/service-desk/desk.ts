import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import type { RequestIndex } from './request-index.ts'
import type { RunTransaction } from './transactions.ts'

/** What the operations of the service desk share. */
export interface Desk {
  readonly db: Database
  readonly clock: Clock
  readonly transaction: RunTransaction
  readonly index: RequestIndex
}
