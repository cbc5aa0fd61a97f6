import { markUnreachable } from '@storey/kit/database'

/**
 * A database server does not answer, or must not be changed because another control database uses it. Work on the
 * server is retried, as after any outage of a database.
 */
export class ServerUnavailable extends Error {
  override name = 'ServerUnavailable'
  constructor(message: string) {
    super(message)
    markUnreachable(this)
  }
}
