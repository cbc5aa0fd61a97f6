import { markUnreachable } from '@storey/kit/database'

/** A database server does not answer. Work on it is retried, as for any outage of a database. */
export class ServerUnavailable extends Error {
  override name = 'ServerUnavailable'
  constructor(message: string) {
    super(message)
    markUnreachable(this)
  }
}
