import { rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KeyScope } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { type Migration, openDatabase, readMigrations } from '@storey/kit/database'
import { type Log, silentLog } from '@storey/kit/log'
import { testDatabase, watchDocumented } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import type { ControlPlaneConfig, ControlPlaneParts } from '../control-plane.ts'
import { createControlPlane } from '../create-control-plane.ts'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { mintOperatorKey, openServers } from '../operator.ts'
import { createProcessRuntime } from '../stacks/process-runtime.ts'
import type { StackRuntime } from '../stacks/stack-runtime.ts'
import { testConfig } from './test-config.ts'

const program = fileURLToPath(new URL('./scripted-stack.ts', import.meta.url))
const tenantMigrations: Migration[] = [
  { version: 1, name: 'rooms', text: 'create table rooms (id int primary key)', checksum: 'rooms' },
]

export const GRACE_MS = 24 * 3_600_000

/** A control plane with its own database, scripted stacks and a movable clock. */
export async function testControlPlane(
  changes: Partial<ControlPlaneConfig> = {},
  givenLog?: Log,
  further: Partial<Pick<ControlPlaneParts, 'clientAddresses' | 'directory' | 'clockCheck' | 'tenantMigrations'>> & {
    startLimitMs?: number
  } = {},
) {
  const documented = watchDocumented()
  const log = givenLog ?? documented.log
  const test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  const folder = temporaryFolder('storey-stacks')
  const clock = movableClock()
  const serverUrl = changes.serverUrl ?? test.url
  const control = openDatabase({ url: serverUrl, log: silentLog, applicationName: 'test', maxConnections: 16 })
  const processes = createProcessRuntime({
    program,
    folder,
    compileCache: resolve('node_modules', '.cache', 'test-stacks'),
    memoryLimitMb: 256,
    environment: {},
    ...(further.startLimitMs === undefined ? {} : { startLimitMs: further.startLimitMs }),
    log: silentLog,
  })
  /** A test that needs stacks without connection transfer sets `isEnabled` to false. */
  const transfers = { isEnabled: true }
  const runtime: StackRuntime = {
    ...processes,
    async start(serve, onDue, onStorage) {
      const { transferConnection, ...stack } = await processes.start(serve, onDue, onStorage)
      return transfers.isEnabled && transferConnection ? { ...stack, transferConnection } : stack
    },
  }
  const config: ControlPlaneConfig = { ...testConfig(serverUrl), expiryGraceMs: GRACE_MS, ...changes }
  const start = async (changed: Partial<ControlPlaneParts> = {}) => {
    const { startLimitMs: _, ...given } = further
    const parts = { control, tenantMigrations, runtime, clock, log, ...timeOf(clock, log), ...given, ...changed }
    const plane = await createControlPlane(config, parts)
    await new Promise<void>((resolve) => plane.server.listen(0, '127.0.0.1', resolve))
    plane.start()
    return plane
  }
  let plane = await start()
  const { organizations } = plane

  async function newOrganization(): Promise<string> {
    const { id } = await organizations.create('Test')
    await organizations.invite(`dev@${id.slice(4)}.example`, id)
    return id
  }

  function operatorKey(organizationId: string, scope: KeyScope) {
    const deps = { control, clock, findDeveloper: organizations.findDeveloper }
    return mintOperatorKey(deps, { organizationId, scope, neverExpires: true })
  }

  const newKey = async () => (await operatorKey(await newOrganization(), 'sandbox')).plaintext

  const port = () => (plane.server.address() as { port: number }).port
  return {
    control,
    clock,
    config,
    runtime,
    transfers,
    folder,
    newKey,
    newOrganization,
    operatorKey,
    port,
    plane: () => plane,
    /** The database servers, as operator commands open them. */
    servers: (migrations: readonly Migration[] = tenantMigrations) =>
      openServers({
        ...{ control, serverUrl, masterSecret: config.masterSecret, migrations, log: silentLog },
        entries: config.tenantServers ?? [],
      }),
    call: (options: CallOptions) => call(port(), options),
    raw: (text: string) => raw(port(), text),
    async create(key: string, body: object = {}) {
      const answer = await call(port(), { key, path: '/api/v1/sandboxes', body: { name: 'Test', ...body } })
      if (answer.status !== 202) throw new Error(answer.text)
      return answer.json as { sandboxId: string; slug: string; organizationId: string }
    },
    async waitWhileProvisioning(key: string, sandboxId: string) {
      for (let i = 0; i < 200; i++) {
        const { json } = await call(port(), { key, path: `/api/v1/sandboxes/${sandboxId}` })
        if (json.status !== 'provisioning') return json
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      throw new Error('still provisioning')
    },
    /** Restarts the control plane on the same data. */
    async restart() {
      await plane.close()
      plane = await start()
    },
    stop: () => plane.close(),
    async start(changed: Partial<ControlPlaneParts> = {}) {
      plane = await start(changed)
    },
    /** Sets what the stack of this sandbox reports about its schema at its start. With undefined it reports nothing. */
    reportSchema(sandboxId: string, state: 'behind' | 'ahead' | undefined) {
      const file = join(folder, sandboxId, 'schema')
      if (state) writeFileSync(file, state)
      else rmSync(file)
    },
    async drop() {
      await plane.close()
      await control.close()
      await test.drop()
      documented.check()
    },
  }
}

/** The database server's time also comes from the movable clock, and the clock check trusts both times immediately. */
function timeOf(clock: ReturnType<typeof movableClock>, log: Log) {
  const agreement = { afterStartMs: 0, afterDisagreementMs: 60_000, beforeRemovalMs: 0 }
  const serverTime = async () => clock.now()
  return { serverTime, clockCheck: createClockCheck({ clock, serverTime, elapsedMs: clock.elapsedMs, agreement, log }) }
}

export interface CallOptions {
  key?: string
  host?: string
  path: string
  method?: string
  body?: object
  headers?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses without a schema
type Answer = { status: number; headers: Record<string, unknown>; text: string; json: any }

export function call(
  port: number,
  { key, host = 'localhost', path, method, body, headers: further }: CallOptions,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    host,
    ...further,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: method ?? (text ? 'POST' : 'GET'),
      headers,
      agent: false as const,
    }
    const sent = request(options, (response) => {
      let all = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        all += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: all,
          json: /json/.test(response.headers['content-type'] ?? '') ? JSON.parse(all) : undefined,
        }),
      )
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

/** Sends raw bytes and resolves with the server's response. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', (err: NodeJS.ErrnoException) => (answer === '' ? reject(err) : resolve(answer)))
    socket.on('close', () => resolve(answer))
  })
}
