import { type ChangeOptions, etagOf, PreconditionFailedError } from '@storey/sdk'

type InVersion = Pick<ChangeOptions, 'ifMatch'>

/** For a change that is meant for the record as the page shows it. One of a list is taken in any version. */
export const inVersion = (record: object): InVersion => (etagOf(record) === undefined ? {} : { ifMatch: record })

export const isOutdated = (error: unknown): error is PreconditionFailedError => error instanceof PreconditionFailedError

interface Change<Known, Changed> {
  read(): Promise<Known>
  /** Throws where the change is not meant for the record as it is now. */
  check(now: Known): void
  send(options: InVersion): Promise<Changed>
}

const MAX_ATTEMPTS = 3

/**
 * Changes a record in the version that the page knows. Where somebody else was quicker the record is read again and
 * checked, and a change that still fits is sent for the new version. Nothing changes between the check and the change.
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
