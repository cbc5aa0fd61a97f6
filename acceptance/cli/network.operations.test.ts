import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { systemUrl } from '../system/shared.ts'
import { failingProxy } from './failing-proxy.ts'
import { env, SMALL, sandboxes, useNewDeveloper } from './new-developer.ts'
import { start, svc, svcOnTerminal } from './tool.ts'

useNewDeveloper()

describe('svc when the network fails', () => {
  it('[CLI-16] follows a sandbox until it is ready when the response to its creation is lost', async () => {
    const proxy = await failingProxy(systemUrl, 'POST /api/v1/sandboxes', 1500)
    const words = ['sandbox', 'create', '--name', 'Cut off', ...SMALL, '--api', proxy.url, '--format=json']
    const { code, stdout, stderr } = await svc(words, { env })
    await proxy.close()
    expect({ code, stderr, failures: proxy.failures }).toEqual({ code: 0, stderr: '', failures: 1 })
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Cut off', status: 'ready' })
    expect((await sandboxes()).map(({ name }) => name)).toEqual(['Cut off'])
  })

  it('[CLI-33] exits with 2 and one sentence within ten seconds when the service is down', async () => {
    const { code, stdout, stderr } = await svc(['sandbox', 'list'], {
      env: { ...env, SVC_SANDBOX_API_URL: 'http://localhost:1' },
      limitMs: 10_000,
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^svc: The service at http:\/\/localhost:1 .*nothing listens there.*--api.*\.\n$/)
  })

  it('[CLI-33] exits with 2 within ten seconds when the service never responds', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
    const words = ['sandbox', 'create', '--name', 'Nobody', '--format=json', '--api', address]
    const { code, stderr } = await svc(words, { env, limitMs: 10_000 })
    silent.close()
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'UNREACHABLE', address })
  })
})

/** A provisioning service whose sandboxes never become ready. */
async function slowService(onPoll: () => void): Promise<{ url: string; close(): void }> {
  const server = createHttpServer(({ url, method }, response) => {
    const isList = url?.includes('?')
    const progress = { percent: 1, step: 'Waiting' }
    const record = { sandboxId: 'sbx_1', name: 'Slow', status: 'provisioning', progress }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isList ? { data: [], total: 0, limit: 200, offset: 0 } : record))
    if (!isList && method === 'GET') onPoll()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, close }
}

describe('svc when it is interrupted', () => {
  it('reports on a terminal that the service continues to create the sandbox', async () => {
    let press = () => {}
    const { url, close } = await slowService(() => press())
    const ended = await svcOnTerminal(['sandbox', 'create', '--api', url], {
      env,
      onOutput(_, running) {
        press = () => running.type('\u0003')
      },
    })
    close()
    expect(ended.code).toBe(130)
    expect(ended.stdout).toContain('The service continues to create Slow: `svc sandbox list` shows the progress.')
  })

  it('reports in a pipe, in the requested format, that the service continues to create the sandbox', async () => {
    let signal = () => {}
    const { url, close } = await slowService(() => signal())
    const child = start(['sandbox', 'create', '--format=json', '--api', url], { env })
    signal = () => child.signal('SIGINT')
    const { code, stdout, stderr } = await child.ended
    close()
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
    const detail = expect.stringContaining('continues to create')
    expect(JSON.parse(stderr)).toMatchObject({ code: 'INTERRUPTED', detail })
  })
})
