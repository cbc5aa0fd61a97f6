import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { isListening } from '../postgres/listening.ts'
import { until } from '../until.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'deploy', 'hydra', 'sign-in', 'sign-in.mjs')

/** A user of `users.json`. */
export interface SignInUser {
  id: string
  email: string
  password: string
  org_id?: string
  tenant_id?: string
  building_ids?: string[]
  roles?: string[]
  isDisabled?: boolean
}

/** The program of `deploy/hydra/sign-in`, and its users. */
export interface SignInPages {
  url: string
  /** Adds a user with this password. */
  add(user: SignInUser): void
  change(id: string, changes: Partial<SignInUser>): void
  stop(): Promise<void>
}

export async function startSignInPages(options: {
  folder: string
  adminUrl: string
  hookKey: string
}): Promise<SignInPages> {
  const file = join(options.folder, 'users.json')
  const read = (): SignInUser[] => JSON.parse(readFileSync(file, 'utf8'))
  const write = (users: SignInUser[]) => writeFileSync(file, JSON.stringify(users))
  write([])
  const port = await freePort()
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      ...process.env,
      PORT: String(port),
      HYDRA_ADMIN_URL: options.adminUrl,
      USERS_FILE: file,
      TOKEN_HOOK_KEY: options.hookKey,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await until('the sign-in pages listen', () => isListening(port))
  return {
    url: `http://127.0.0.1:${port}`,
    add(user) {
      const password = execFileSync(process.execPath, [PROGRAM, 'hash'], { input: user.password, encoding: 'utf8' })
      write([...read(), { ...user, password: password.trim() }])
    },
    change: (id, changes) => write(read().map((user) => (user.id === id ? { ...user, ...changes } : user))),
    async stop() {
      child.kill()
      await ended
    },
  }
}
