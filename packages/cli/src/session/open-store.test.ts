import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newHome } from '../testing/test-context.ts'
import { configFolder } from './config-folder.ts'
import type { OpenEntry } from './keyring-store.ts'
import { openStore } from './open-store.ts'
import type { Session } from './session.ts'

const SERVICE = 'http://localhost:4000'
const session: Session = { issuer: `${SERVICE}/realms/developers`, accessToken: 'a', expiresAt: 1, refreshToken: 'r' }

/** A keyring in memory, because not every machine has a system keyring. */
function memoryKeyring() {
  const kept = new Map<string, string>()
  const open = async (): Promise<OpenEntry> => (account) => ({
    getPassword: async () => kept.get(account) ?? null,
    setPassword: async (password) => void kept.set(account, password),
    deleteCredential: async () => kept.delete(account),
  })
  return { kept, open }
}

const noKeyring = async (): Promise<OpenEntry> => {
  throw new Error('no secret service\nmore')
}

function home(forced?: string) {
  const { SVC_SDK_TOKEN_STORE: _, ...env } = newHome()
  const all: Record<string, string> = forced === undefined ? env : { ...env, SVC_SDK_TOKEN_STORE: forced }
  const environment = { env: all, system: 'linux' as const }
  return { environment, folder: configFolder(environment), file: join(configFolder(environment), 'sessions.json') }
}

describe('the store of sessions', () => {
  it('[CLI-08] is the keyring if there is one', async () => {
    const { environment, file } = home()
    const { kept, open } = memoryKeyring()
    const store = openStore(environment, open)
    await store.write(SERVICE, session)
    expect(await store.read(SERVICE)).toEqual(session)
    expect([...kept.keys()]).toEqual([SERVICE])
    expect(() => statSync(file)).toThrow()
    expect(store.place).toBe('the system keyring')
  })

  it('[CLI-08, CLI-52] is a file if there is no keyring, and only its owner can read the file', async () => {
    const { environment, folder, file } = home()
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    const store = openStore(environment, noKeyring)
    await store.write(SERVICE, session)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(await store.read(SERVICE)).toEqual(session)
    expect(store.place).toBe(file)
    await store.write('http://other', session)
    await store.remove(SERVICE)
    expect(await store.read(SERVICE)).toBeUndefined()
    expect(await store.read('http://other')).toEqual(session)
    await store.remove('http://other')
    expect(readdirSync(folder)).toEqual([])
  })

  it('[CLI-09] is the one that SVC_SDK_TOKEN_STORE names', async () => {
    const forced = home('file')
    const { kept, open } = memoryKeyring()
    await openStore(forced.environment, open).write(SERVICE, session)
    expect(kept.size).toBe(0)
    expect(readFileSync(forced.file, 'utf8')).toContain('"refreshToken": "r"')

    const keyring = home('keyring')
    await openStore(keyring.environment, open).write(SERVICE, session)
    expect(kept.size).toBe(1)
    const written = openStore(keyring.environment, noKeyring).write(SERVICE, session)
    await expect(written).rejects.toThrow('The system keyring cannot be used: no secret service.')
    expect(() => openStore(home('cloud').environment, open)).toThrow('SVC_SDK_TOKEN_STORE is "cloud"')
  })

  it('keeps one session of a service: in the keyring if the keyring can be written, and otherwise in the file', async () => {
    const { environment, file } = home()
    const { kept, open } = memoryKeyring()
    await openStore(environment, noKeyring).write(SERVICE, session)
    const newer = { ...session, accessToken: 'b' }
    await openStore(environment, open).write(SERVICE, newer)
    expect(() => statSync(file)).toThrow()
    expect(await openStore(environment, open).read(SERVICE)).toEqual(newer)
    await openStore(environment, open).remove(SERVICE)
    expect(kept.size).toBe(0)
  })

  it('reports a session that could not be removed from a locked keyring, and still removes another session from the file', async () => {
    const { environment, file } = home()
    const { open } = memoryKeyring()
    await openStore(environment, noKeyring).write('http://other', session)
    const locked = async (): Promise<OpenEntry> => {
      const entries = await open()
      const deleteCredential = () => Promise.reject(new Error('the keyring is locked'))
      return (account) => ({ ...entries(account), deleteCredential })
    }
    await openStore(environment, open).write(SERVICE, session)
    const removal = openStore(environment, locked).remove(SERVICE)
    await expect(removal).rejects.toThrow('The system keyring cannot be used: the keyring is locked.')
    await openStore(environment, locked).remove('http://other')
    expect(() => statSync(file)).toThrow()
  })

  it('reports a damaged file, which login replaces and logout removes', async () => {
    const { environment, folder, file } = home('file')
    mkdirSync(folder, { recursive: true })
    const store = openStore(environment)
    for (const text of ['', '{"half', '[]', 'null']) {
      writeFileSync(file, text)
      await expect(store.read(SERVICE)).rejects.toMatchObject({
        code: 'STORE_BROKEN',
        message: `The session file ${file} is damaged.`,
      })
      await store.ready()
      await store.write(SERVICE, session)
      expect(await store.read(SERVICE)).toEqual(session)
      writeFileSync(file, text)
      await store.remove(SERVICE)
      expect(readdirSync(folder)).toEqual([])
    }
    writeFileSync(file, `{"${SERVICE}": {"issuer": 1}}`)
    expect(await store.read(SERVICE)).toBeUndefined()
  })

  it('[CLI-52] restores the permissions of a file that others could read', async () => {
    const { environment, file } = home('file')
    const store = openStore(environment)
    await store.write(SERVICE, session)
    chmodSync(file, 0o644)
    expect(await store.read(SERVICE)).toEqual(session)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('reports, before a login begins, that it cannot be used', async () => {
    const { environment, folder, file } = home('file')
    mkdirSync(file, { recursive: true })
    const inTheWay = {
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining(`${file} cannot be used: it is a folder`),
    }
    for (const work of ['ready', 'read', 'remove'] as const) {
      await expect(openStore(environment)[work](SERVICE)).rejects.toMatchObject(inTheWay)
    }
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    await expect(openStore(environment).ready()).rejects.toThrow('a file, not a folder')
    await expect(openStore(home('keyring').environment, noKeyring).ready()).rejects.toThrow('keyring cannot be used')
    await openStore(home().environment, noKeyring).ready()
  })

  it('is in the configuration folder of the system', () => {
    expect(configFolder({ env: { XDG_CONFIG_HOME: '/x' }, system: 'linux' })).toBe('/x/storey')
    expect(configFolder({ env: { HOME: '/home/a' }, system: 'darwin' })).toBe('/home/a/.config/storey')
    expect(configFolder({ env: { APPDATA: '/roaming' }, system: 'win32' })).toBe('/roaming/storey')
    // The configuration folder is never relative to the working directory.
    for (const env of [{ HOME: '' }, { HOME: '.' }, { HOME: '', XDG_CONFIG_HOME: 'config' }]) {
      expect(configFolder({ env, system: 'linux' })).toBe(join(userInfo().homedir, '.config', 'storey'))
    }
  })
})
