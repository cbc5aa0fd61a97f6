import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { STACK_CONFIG_VARIABLE, type StackMessage } from '@storey/contract'
import { readMigrations, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { holdTable } from '../testing/hold-table.ts'
import { STACK_PROGRAM } from '../testing/stack-process.ts'
import { seedRequest, serveConfig } from '../testing/test-stack.ts'
import type { Channel } from './channel.ts'
import { openControlChannel } from './control-channel.ts'

const KEY = 'k'.repeat(64)

/** Reads the messages of a control channel. */
async function follow(port: number, key = KEY) {
  const request = get({ port, path: '/messages', headers: { authorization: `Bearer ${key}` }, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const messages: StackMessage[] = []
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop()!
    messages.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
  })
  const ended = new Promise<void>((resolve) => response.on('error', () => undefined).once('close', resolve))
  return { status: response.statusCode, messages, ended, types: () => messages.map(({ type }) => type), request }
}

const post = (port: number, body: unknown, key = KEY) =>
  fetch(`http://127.0.0.1:${port}/commands`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('the control channel', () => {
  let channel: Channel
  let port: number
  afterEach(() => channel.close())
  async function open(options: { lastMessageFile?: string; heartbeatMs?: number } = {}) {
    channel = await openControlChannel({ port: 0, key: KEY, ...options })
    port = channel.controlPort!
  }

  it('[KUB-01] refuses requests without the key of the sandbox, and has no other routes', async () => {
    await open()
    const paths = ['/messages', '/commands', '/', '/api/v1/buildings', '/healthz']
    const statusOf = async (path: string, authorization: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })).status
    for (const path of paths) {
      expect(await statusOf(path, '')).toBe(401)
      expect(await statusOf(path, `Bearer ${KEY.slice(1)}x`)).toBe(401)
      expect(await statusOf(path, KEY)).toBe(401)
    }
    expect((await post(port, { type: 'stop' }, 'x'.repeat(64))).status).toBe(401)
    for (const path of paths.slice(1)) expect(await statusOf(path, `Bearer ${KEY}`)).toBe(404)
  })

  it('[KUB-02] sends each control plane the current state, and then every message', async () => {
    await open()
    await channel.send({ type: 'storage', bytes: 1 })
    await channel.send({ type: 'due', at: null })
    await channel.send({ type: 'storage', bytes: 2 })
    await channel.send({ type: 'listening', port: 5 })
    const first = await follow(port)
    const state = [
      { type: 'listening', port: 5 },
      { type: 'due', at: null },
      { type: 'storage', bytes: 2 },
    ]
    await expect.poll(() => first.messages).toEqual(state)
    const due = { type: 'due', at: '2026-01-01T00:00:00.000Z' } as const
    await channel.send(due)
    const second = await follow(port)
    await expect.poll(() => first.messages).toEqual([...state, due])
    await expect.poll(() => second.messages).toEqual([state[0], due, state[2]])
    await channel.close()
    await Promise.all([first.ended, second.ended])
    expect([first.messages.at(-1), second.messages.at(-1)]).toEqual([{ type: 'stopped' }, { type: 'stopped' }])
    await expect(fetch(`http://127.0.0.1:${port}/messages`)).rejects.toThrow()
  })

  it('sends messages to the other control planes after one has disconnected', async () => {
    await open({ heartbeatMs: 20 })
    const first = await follow(port)
    const second = await follow(port)
    first.request.destroy()
    await first.ended
    await channel.send({ type: 'due', at: null })
    await expect.poll(second.types).toEqual(['due'])
  })

  it('[KUB-03] refuses commands until the stack has set handlers, and returns its report on request', async () => {
    await open()
    expect((await post(port, { type: 'report' })).status).toBe(503)
    expect((await post(port, { type: 'people' })).status).toBe(503)
    const taken: unknown[] = []
    channel.onCommand('people', (command) => taken.push(command))
    channel.onCommand('revoked', (command) => taken.push(command))
    channel.onReport(async () => ({ importsWaiting: 3 }) as never)
    const revoked = { type: 'revoked', issuer: 'http://issuer.example', subject: 'ann' }
    expect((await post(port, { type: 'people' })).status).toBe(204)
    expect((await post(port, revoked)).status).toBe(204)
    expect(taken).toEqual([{ type: 'people' }, revoked])
    expect(await (await post(port, { type: 'report' })).json()).toEqual({ importsWaiting: 3 })
  })

  it('[KUB-03] refuses commands that are unknown, malformed or too long', async () => {
    await open()
    channel.onCommand('serve', () => expect.unreachable())
    channel.onCommand('revoked', () => expect.unreachable())
    const statuses = []
    for (const body of ['', '{', '[]', { type: 'serve', config: '{}', folder: '/' }, { type: 'revoked', issuer: 1 }])
      statuses.push((await post(port, body)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400])
    expect((await post(port, { type: 'people', padding: 'x'.repeat(17_000) })).status).toBe(413)
  })

  it('[KUB-04] writes the last message of a process to a file', async () => {
    const lastMessageFile = join(temporaryFolder('storey-last-message'), 'message')
    await open({ lastMessageFile })
    await channel.send({ type: 'progress', percent: 50, step: 'Half' })
    const seeded = { type: 'seeded', result: { siteId: 's', buildingId: 'b', fingerprint: 'f' } } as const
    await channel.send(seeded)
    expect(JSON.parse(readFileSync(lastMessageFile, 'utf8'))).toEqual(seeded)
  })
})

describe('without an IPC channel', () => {
  let test: TestDatabase
  const children: { child: ChildProcess; ended: Promise<unknown> }[] = []
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  })
  afterEach(async () => {
    for (const { child, ended } of children.splice(0)) {
      child.kill('SIGKILL')
      await ended
    }
  })
  afterAll(() => test.drop())

  function start(command: 'seed' | 'serve', config: object) {
    const cwd = temporaryFolder('storey-test-stack')
    const env = { PATH: process.env.PATH, [STACK_CONFIG_VARIABLE]: JSON.stringify(config) }
    const child = spawn(process.execPath, [STACK_PROGRAM, command], {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>
    const started = { child, ended, cwd }
    children.push(started)
    return started
  }
  const untilOpen = async (port: number) => {
    await expect
      .poll(
        () =>
          post(port, { type: 'report' }).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
  }

  it('[KUB-04] seed reports its progress over HTTP, and its result in a file', async () => {
    const [port] = await freePorts(1)
    const lastMessageFile = join(temporaryFolder('storey-last-message'), 'message')
    const shared = { databaseUrl: test.url, logLevel: 'warn', logForm: 'lines', internalKey: KEY }
    const held = await holdTable(test.database, 'buildings')
    const { ended } = start('seed', { ...seedRequest(), ...shared, control: { port, lastMessageFile } })
    await untilOpen(port!)
    const followed = await follow(port!)
    await held.release()
    expect(await ended).toEqual([0, null])
    await followed.ended
    expect(followed.types()).toEqual(expect.arrayContaining(['progress', 'seeded']))
    expect(followed.types().at(-1)).toBe('stopped')
    const { type, result } = JSON.parse(readFileSync(lastMessageFile, 'utf8'))
    expect(type).toBe('seeded')
    expect(await test.database.row(sql`select id, site_id from buildings`)).toEqual({
      id: result.buildingId,
      site_id: result.siteId,
    })
  })

  it('[KUB-05] serve listens on the configured ports, and reports its due work when a command stops it', async () => {
    const [port, control] = await freePorts(2)
    const config = serveConfig(test.url, {
      internalKey: KEY,
      listen: { host: '127.0.0.1', port: port! },
      control: { port: control! },
    })
    const { ended } = start('serve', config)
    await untilOpen(control!)
    const followed = await follow(control!)
    await expect
      .poll(followed.types, { timeout: 20_000 })
      .toEqual(expect.arrayContaining(['listening', 'due', 'storage']))
    expect(followed.messages.find(({ type }) => type === 'listening')).toEqual({
      ...{ type: 'listening', port, controlPort: control },
    })
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    expect((await post(control!, { type: 'report' })).status).toBe(200)
    expect((await post(control!, { type: 'stop' })).status).toBe(204)
    expect(await ended).toEqual([0, null])
    await followed.ended
    expect(followed.types().slice(-2)).toEqual(['due', 'stopped'])
  })

  it('[KUB-25] a replica continues to serve for a moment after SIGTERM, and stops at once on a stop command', async () => {
    const [port, control] = await freePorts(2)
    const config = (stopDelayMs: number) =>
      serveConfig(test.url, {
        ...{ internalKey: KEY, stopDelayMs },
        ...{ listen: { host: '127.0.0.1', port: port! }, control: { port: control! } },
      })
    const isServing = () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status === 200)
    const listening = async () => {
      await untilOpen(control!)
      const followed = await follow(control!)
      await expect.poll(followed.types, { timeout: 20_000 }).toContain('listening')
    }
    const first = start('serve', config(500))
    await listening()
    first.child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await isServing()).toBe(true)
    expect(await first.ended).toEqual([0, null])

    const second = start('serve', config(10_000))
    await listening()
    second.child.kill('SIGTERM')
    const from = performance.now()
    expect((await post(control!, { type: 'stop' })).status).toBe(204)
    expect(await second.ended).toEqual([0, null])
    expect(performance.now() - from).toBeLessThan(9_000)
  })
})

/** Ports that are free now. */
async function freePorts(count: number): Promise<number[]> {
  const { createServer } = await import('node:net')
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
