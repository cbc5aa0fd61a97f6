import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../acceptance/system/system.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { goMainModule } from '../fetch/go.ts'
import { createPostgres } from '../postgres/server.ts'
import { type SignInPages, startSignInPages } from './sign-in-pages.ts'

export const HYDRA_VERSION = 'v2.3.0'
const POSTGRES_VERSION = '18.4.0-beta.17'
const READY_LIMIT_MS = 60_000
const HOOK_KEY = 'token-hook-of-this-run'

/** A real Ory Hydra with the files of `deploy/hydra`, its database and its sign-in pages. */
export interface Hydra {
  /** As Hydra publishes it, with a slash at the end. */
  issuer: string
  adminUrl: string
  pages: SignInPages
  start(): Promise<void>
  kill(): Promise<void>
  remove(): Promise<void>
}

/** Starts Hydra for a Storey at this address. */
export async function startHydra(storeyUrl: string): Promise<Hydra> {
  const program = goMainModule('github.com/ory/hydra/v2', HYDRA_VERSION, 'hydra', {
    dropped: ['github.com/ory/hydra-client-go/v2'],
  })
  const folder = mkdtempSync(join(tmpdir(), 'storey-hydra-'))
  const database = await createPostgres(POSTGRES_VERSION)
  await database.start()
  await database.ask("create role hydra login password 'hydra'")
  await database.ask('create database hydra owner hydra')
  const [port, adminPort] = [await freePort(), await freePort()]
  const issuer = `http://127.0.0.1:${port}/`
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const pages = await startSignInPages({ folder, adminUrl, hookKey: HOOK_KEY })
  const host = new URL(storeyUrl).host
  const file = writeDeployFile('hydra/hydra.yml', join(folder, 'hydra.yml'), {
    'port: 4444': `port: ${port}\n    host: 127.0.0.1`,
    'port: 4445': `port: ${adminPort}`,
    'https://id.example.com/': issuer,
    'https://sign-in.example.com': pages.url,
    'http://127.0.0.1:3000': pages.url,
    '- https://storey.example.com\n': `- ${storeyUrl}\n`,
    'https://*.storey.example.com': `http://*.${host}`,
    'change-me-token-hook': HOOK_KEY,
    // The token endpoint gets another origin than the issuer, as it has at some providers.
    'webfinger:\n': `webfinger:\n  oidc_discovery:\n    token_url: http://localhost:${port}/oauth2/token\n`,
    'postgres://hydra:change-me@127.0.0.1:5432/hydra?sslmode=verify-full': `postgres://hydra:hydra@127.0.0.1:${database.port}/hydra?sslmode=verify-full&sslrootcert=${database.authority.certificate}`,
  })
  const env = { ...process.env, SQA_OPT_OUT: 'true' }
  execFileSync(program, ['migrate', 'sql', '--read-from-env', '--yes', '--config', file], { env, stdio: 'ignore' })
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let output = ''

  async function start(): Promise<void> {
    // `--dev` allows plain HTTP. In production a proxy in front of Hydra terminates TLS instead.
    const args = ['serve', 'all', '--dev', '--config', file]
    const started = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    ended = new Promise((resolve) => started.once('exit', resolve))
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (output += text))
    for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; await sleep(100)) {
      if (started.exitCode !== null) break
      const answer = await fetch(`${issuer}.well-known/openid-configuration`).catch(() => undefined)
      if (answer?.ok) return
    }
    throw new Error(`Hydra does not respond:\n${output.slice(-3_000)}`)
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    ...{ issuer, adminUrl, pages, start, kill },
    async remove() {
      await kill()
      await pages.stop()
      await database.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
