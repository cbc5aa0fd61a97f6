import { type ChangeOptions, etagOf, PreconditionFailedError } from '@storey/sdk'

type IfUnchanged = Pick<ChangeOptions, 'ifMatch'>

/**
 * Makes a change conditional on the version that the page shows. The change of a record from a list is unconditional,
 * because such a record has no ETag.
 */
export const ifUnchanged = (record: object): IfUnchanged => (etagOf(record) === undefined ? {} : { ifMatch: record })

export const isOutdated = (error: unknown): error is PreconditionFailedError => error instanceof PreconditionFailedError

/** A change was not made, because somebody else has changed the record. The page now shows the current record. */
export class OutdatedError extends Error {}

interface ShownChange<Known, Changed> {
  read(): Promise<Known>
  /** Called with the current record if somebody else has changed it, so that the page shows it. */
  onOutdated(now: Known): void
  send(options: IfUnchanged): Promise<Changed>
}

/**
 * Sends a change if the record still has the version that the page shows. If somebody else has changed it, nothing is
 * changed, and the user decides again: throws OutdatedError.
 */
export async function changeShown<Known extends object, Changed>(
  shown: Known,
  { read, onOutdated, send }: ShownChange<Known, Changed>,
): Promise<Changed> {
  try {
    return await send(ifUnchanged(shown))
  } catch (error) {
    if (!isOutdated(error)) throw error
    onOutdated(await read())
    throw new OutdatedError()
  }
}

interface ListedChange<Known, Changed> extends ShownChange<Known, Changed> {
  /** Whether the row that the page shows is still current. */
  isShown(now: Known): boolean
}

/**
 * Like `changeShown`, for the row of a list. A row that was read with the list has no ETag, so its record is read and
 * compared with it first.
 */
export async function changeListed<Known extends object, Changed>(
  row: object,
  { isShown, ...change }: ListedChange<Known, Changed>,
): Promise<Changed> {
  if (etagOf(row) !== undefined) return await changeShown(row as Known, change)
  const now = await change.read()
  if (isShown(now)) return await changeShown(now, change)
  change.onOutdated(now)
  throw new OutdatedError()
}

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
