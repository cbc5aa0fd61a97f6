import { isSession, type SessionStore } from './session.ts'

const SERVICE = 'storey-svc'

/** The part of the keyring library that the tool uses. */
export interface KeyringEntry {
  getPassword(): Promise<string | null>
  setPassword(password: string): Promise<void>
  deleteCredential(): Promise<boolean>
}

export type OpenEntry = (account: string) => KeyringEntry

/**
 * Opens the system keyring. Throws if the native library, an optional dependency, is not installed or does not support
 * the platform. On Linux the kernel's keyring is not used, because a reboot clears it.
 */
export async function openKeyring(): Promise<OpenEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  return (account) => new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } })
}

export function keyringStore(open: () => Promise<OpenEntry>): SessionStore {
  return {
    place: 'the system keyring',
    async ready() {
      await (await open())('trial').getPassword()
    },
    async read(service) {
      const text = await (await open())(service).getPassword()
      const parsed = text === null ? undefined : parse(text)
      return isSession(parsed) ? parsed : undefined
    },
    async write(service, session) {
      await (await open())(service).setPassword(JSON.stringify(session))
    },
    async remove(service) {
      await (await open())(service).deleteCredential()
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
