import { type ChangeOptions, etagOf, PreconditionFailedError } from '@storey/sdk'

type IfUnchanged = Pick<ChangeOptions, 'ifMatch'>

/**
 * Makes a change conditional on the version that the page shows. The change of a record from a list is unconditional,
 * because such a record has no ETag.
 */
export const ifUnchanged = (record: object): IfUnchanged => (etagOf(record) === undefined ? {} : { ifMatch: record })

export const isOutdated = (error: unknown): error is PreconditionFailedError => error instanceof PreconditionFailedError

interface Change<Known, Changed> {
  read(): Promise<Known>
  /** Throws if the change no longer applies to the current record. */
  check(now: Known): void
  send(options: IfUnchanged): Promise<Changed>
}

const MAX_ATTEMPTS = 3

/**
 * Changes a record if it still has the version that the page knows; a record without an ETag is read first. If somebody
 * else changed it first, the record is read and checked again, and the change is retried on the new version, with at
 * most `MAX_ATTEMPTS` attempts. A version that fails `check` is not changed.
 */
export async function changeRecord<Known extends object, Changed>(
  known: Known,
  { read, check, send }: Change<Known, Changed>,
): Promise<Changed> {
  let now = etagOf(known) === undefined ? await read() : known
  for (let attempt = 1; ; attempt++) {
    check(now)
    try {
      return await send({ ifMatch: now })
    } catch (error) {
      if (!isOutdated(error) || attempt === MAX_ATTEMPTS) throw error
      now = await read()
    }
  }
}
