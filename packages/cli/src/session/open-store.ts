import type { Environment } from '../environment.ts'
import { CliError, wrongUsage } from '../errors.ts'
import { configFolder } from './config-folder.ts'
import { fileStore } from './file-store.ts'
import { keyringStore, type OpenEntry, openKeyring } from './keyring-store.ts'
import type { SessionStore } from './session.ts'

/**
 * Returns the keyring, or, if there is none, a file that only the user can read (`own-file.ts`). SVC_SDK_TOKEN_STORE
 * forces one of them.
 */
export function openStore(
  environment: Pick<Environment, 'env' | 'system'>,
  open: () => Promise<OpenEntry> = openKeyring,
): SessionStore {
  const forced = environment.env.SVC_SDK_TOKEN_STORE
  const file = fileStore(configFolder(environment))
  const keyring = withKeyringErrors(keyringStore(open))
  if (forced === 'file') return file
  if (forced === 'keyring') return keyring
  if (forced !== undefined && forced !== '') {
    throw wrongUsage(`SVC_SDK_TOKEN_STORE is "${forced}".`, 'Set it to file or keyring, or unset it.')
  }
  return eitherStore(keyring, file)
}

/** A session is in one of the two stores: saving it in one removes it from the other. */
function eitherStore(keyring: SessionStore, file: SessionStore): SessionStore {
  let place = keyring.place
  const orNothing = <T>(work: Promise<T>) => work.catch(() => undefined)
  return {
    get place() {
      return place
    },
    async ready() {
      const isOpen = await keyring.ready().then(
        () => true,
        () => false,
      )
      if (!isOpen) await file.ready()
    },
    async read(service) {
      const kept = await orNothing(keyring.read(service))
      if (kept !== undefined) return kept
      place = file.place
      return await file.read(service)
    },
    async write(service, session) {
      const isKept = await keyring.write(service, session).then(
        () => true,
        () => false,
      )
      place = isKept ? keyring.place : file.place
      if (isKept) return await file.remove(service)
      await file.write(service, session)
      // The keyring, which could not be written, may still contain an older session, which would be read first.
      await orNothing(keyring.remove(service))
    },
    async remove(service) {
      const isRemoved = keyring.remove(service)
      await orNothing(isRemoved)
      await file.remove(service)
      // Fails if the session is still in the keyring, because it would be used again. If the keyring cannot be read,
      // nothing in it is used.
      if ((await orNothing(keyring.read(service))) !== undefined) await isRemoved
    },
  }
}

/** The keyring, with errors that have the reason why it is unavailable. */
function withKeyringErrors(store: SessionStore): SessionStore {
  const withReason = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (cause) {
      throw new CliError(`The system keyring cannot be used: ${(cause as Error).message.split('\n')[0]}.`, {
        code: 'NO_KEYRING',
        next: 'Unlock or install it, or set SVC_SDK_TOKEN_STORE=file to keep tokens in a file that only you can read.',
        cause,
      })
    }
  }
  return {
    place: store.place,
    ready: () => withReason(store.ready()),
    read: (service) => withReason(store.read(service)),
    write: (service, session) => withReason(store.write(service, session)),
    remove: (service) => withReason(store.remove(service)),
  }
}
