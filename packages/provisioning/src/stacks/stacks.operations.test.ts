import { on, once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'

describe('stacks behind the gateway', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let key: string
  beforeAll(async () => {
    test = await testControlPlane({ stackIdleMs: 600, stackResponseTimeoutMs: 1_000 })
    key = await test.newKey()
  })
  afterAll(() => test.drop())

  async function ready() {
    const { sandboxId, slug } = await test.create(await test.newKey())
    await expect.poll(() => test.call({ host: `${slug}.localhost`, path: '/' }).then(({ status }) => status)).toBe(200)
    return { sandboxId, host: `${slug}.localhost` }
  }

  it('[STK-01, STK-06] answer 503 with Retry-After until the sandbox is ready, and then answer from a process of their own', async () => {
    const { slug, sandboxId } = await test.create(key, { seed: 'hang' })
    const early = await test.call({ host: `${slug}.localhost`, path: '/' })
    expect(early.json).toMatchObject({ status: 503, code: 'NOT_READY' })
    expect(Number(early.headers['retry-after'])).toBeGreaterThan(0)
    await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}`, method: 'DELETE' })
    const [first, second] = [await ready(), await ready()]
    const pids = []
    for (const { host } of [first, second]) pids.push((await test.call({ host, path: '/' })).json.pid)
    expect(new Set([...pids, process.pid]).size).toBe(3)
  })

  it('[STK-07, STK-08] are stopped when they are idle, and woken by the next request', async () => {
    const { sandboxId, host } = await ready()
    const before = (await test.call({ host, path: '/' })).json.pid
    expect(test.runtime.status(sandboxId)).toBe('running')
    await expect.poll(() => test.runtime.status(sandboxId)).toBe('stopped')
    const answers = await Promise.all([1, 2, 3].map(() => test.call({ host, path: '/' })))
    const pids = new Set(answers.map(({ json }) => json.pid))
    expect(pids.size).toBe(1)
    expect(pids.has(before)).toBe(false)
  })

  it('[QTA-03] report their storage, which the record of the sandbox keeps while they sleep, until a reset', async () => {
    const owner = await test.newKey()
    const { sandboxId, slug } = await test.create(owner)
    const storage = async () => (await test.call({ key: owner, path: `/api/v1/sandboxes/${sandboxId}` })).json.storage
    expect(await storage()).toEqual({ usedMb: null, limitMb: null, measuredAt: null })
    const reportStorage = (bytes: number) => test.call({ host: `${slug}.localhost`, path: `/report-storage/${bytes}` })
    await expect.poll(async () => (await reportStorage(12.34 * 1024 * 1024)).status).toBe(200)
    // The reported size was not a whole number of bytes, so the report was ignored.
    expect((await storage()).usedMb).toBeNull()
    await reportStorage(130_023_424)
    await expect.poll(storage).toEqual({ usedMb: 124, limitMb: null, measuredAt: expect.stringMatching(/Z$/) })
    await expect.poll(() => test.runtime.status(sandboxId)).toBe('stopped')
    expect((await storage()).usedMb).toBe(124)
    await test.call({ key: owner, path: `/api/v1/sandboxes/${sandboxId}/reset`, method: 'POST' })
    expect((await storage()).usedMb).toBeNull()
  })

  it('[STK-07] keep running while a socket is open', async () => {
    const { sandboxId, host } = await ready()
    const socket = await upgrade(host)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(test.runtime.status(sandboxId)).toBe('running')
    socket.destroy()
    await expect.poll(() => test.runtime.status(sandboxId)).toBe('stopped')
  })

  it.each([
    ['the connection of the client', true],
    ['a connection over which the gateway forwards both directions', false],
  ])('[STK-05] get, after an upgrade, %s', async (_how, transfersConnections) => {
    test.transfers.isEnabled = transfersConnections
    const { host } = await ready()
    const socket = await upgrade(host)
    const received = on(socket, 'data')
    const { remotePort, headers } = JSON.parse((await received.next()).value![0])
    // If the ports are equal, the stack has the client's own connection, and otherwise one that the gateway opened.
    expect(remotePort === socket.localPort).toBe(transfersConnections)
    expect(headers).toMatchObject({ 'x-forwarded-host': host, 'x-forwarded-for': '127.0.0.1' })
    socket.write('ping')
    expect((await received.next()).value![0].toString()).toBe('ping')
    socket.destroy()
    test.transfers.isEnabled = true
  })

  it('own a transferred connection: the gateway no longer counts the connection, which ends with the stack', async () => {
    const { host } = await ready()
    const count = promisify(test.plane().server.getConnections.bind(test.plane().server))
    // Connections of earlier requests may still be closing.
    await expect.poll(() => count()).toBe(0)
    const socket = await upgrade(host)
    // The gateway no longer counts the connection. Otherwise `close` of the server would wait for the connection.
    await expect.poll(() => count()).toBe(0)
    const { pid } = (await test.call({ host, path: '/' })).json
    process.kill(pid, 'SIGKILL')
    await once(socket, 'close')
  })

  it('answer any upgrade other than that of the live channel as a plain request', async () => {
    const { host } = await ready()
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    expect((await test.call({ host, path: '/elsewhere', headers })).json.url).toBe('/elsewhere')
  })

  it('receive a GET request again if the first process exited before it responded', async () => {
    const { host, sandboxId } = await ready()
    const first = (await test.call({ host, path: '/' })).json.pid
    const held = test.call({ host, path: '/once' })
    await expect.poll(() => existsSync(join(test.folder, sandboxId, 'held')), { interval: 10 }).toBe(true)
    process.kill(first, 'SIGKILL')
    const { status, json } = await held
    expect(status).toBe(200)
    expect(json.pid).not.toBe(first)
  })

  it('are stopped when they do not respond, and started by the next request', async () => {
    const { host } = await ready()
    const first = (await test.call({ host, path: '/' })).json.pid
    const silent = await test.call({ host, path: '/hold', method: 'POST', body: {} })
    expect(silent.json).toMatchObject({ status: 503, code: 'NOT_READY' })
    expect((await test.call({ host, path: '/' })).json.pid).not.toBe(first)
  })

  it('[STK-10] are restarted after a crash', async () => {
    const { host } = await ready()
    const first = (await test.call({ host, path: '/' })).json.pid
    const crashed = await test.call({ host, path: '/crash', method: 'POST', body: {} })
    expect(crashed.json).toMatchObject({ status: 503, code: 'NOT_READY' })
    expect((await test.call({ host, path: '/' })).json.pid).not.toBe(first)
  })

  it('[STK-03] get nothing of the control plane’s environment', async () => {
    const { host, sandboxId } = await ready()
    const environment = JSON.parse((await test.call({ host, path: '/environment' })).text)
    expect(Object.keys(environment).sort()).toEqual([
      'MALLOC_ARENA_MAX',
      'MALLOC_MMAP_THRESHOLD_',
      'MALLOC_TRIM_THRESHOLD_',
      'NODE_COMPILE_CACHE',
      'STACK_CONFIG',
      'TZ',
    ])
    expect(environment.STACK_CONFIG).toContain(sandboxId)
    expect(environment.STACK_CONFIG).not.toContain(test.config.masterSecret)
    expect(JSON.parse(environment.STACK_CONFIG).databaseUrl).not.toBe(test.config.serverUrl)
  })
  async function upgrade(host: string) {
    const socket = connect(test.port(), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET /socket.io/?EIO=4 HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    const head = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())))
    expect(head).toMatch(/^HTTP\/1\.1 101 /)
    return socket
  }
})
