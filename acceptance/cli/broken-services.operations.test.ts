import { execFileSync } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute, newHome, TOOL } from './tool.ts'

const home = newHome()
const env = { ...home, SVC_API_TOKEN: 'svc_key' }
const ends: Record<string, (socket: Socket) => unknown> = {
  'closes it': (socket) => socket.destroy(),
  'resets it': (socket) => socket.resetAndDestroy(),
}
const servers = Object.values(ends).map((end) => createServer(end))
const addressOf = (i: number) => `http://127.0.0.1:${(servers[i]!.address() as { port: number }).port}`

beforeAll(async () => {
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  for (const server of servers) server.close()
})

/** The Node of the repository and the one on the PATH, which may be the oldest supported version. */
const nodes = [...new Set([process.execPath, execFileSync('which', ['node'], { encoding: 'utf8' }).trim()])]

/** A network that never responds, and timers that do not keep the process alive. */
const NO_RESPONSE = `
  import { EventEmitter } from 'node:events'
  import http from 'node:http'
  import { syncBuiltinESMExports } from 'node:module'
  http.request = () => Object.assign(new EventEmitter(), { end() {} })
  syncBuiltinESMExports()
  const { setTimeout } = globalThis
  globalThis.setTimeout = (...args) => setTimeout(...args).unref()
`

describe.each(nodes)('the packed tool, run by %s', (node) => {
  it.each(Object.keys(ends))(
    'exits with 2 and one sentence when a server accepts the connection and %s',
    async (how) => {
      const api = addressOf(Object.keys(ends).indexOf(how))
      for (const words of [['sandbox', 'list'], ['sandbox', 'create'], ['whoami'], ['login', '--no-browser']]) {
        const { code, stdout, stderr } = await execute(node, [TOOL, ...words, '--api', api], { env, limitMs: 20_000 })
        expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' })
        expect(stderr).toContain('is unreachable, the connection broke')
      }
    },
  )

  it('reports an error when the process would end before its command has finished', async () => {
    const words = ['--import', `data:text/javascript,${encodeURIComponent(NO_RESPONSE)}`, TOOL]
    const { code, stdout, stderr } = await execute(node, [...words, 'sandbox', 'list', '--api', addressOf(0)], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('did not finish')
  })

  it('exits with 1 and one sentence when the output cannot be written', async () => {
    const shell = `'${node}' '${TOOL}' completion bash > /dev/full`
    const { code, stderr } = await execute('bash', ['-c', shell], { env })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: The output could not be written: no space left on the device.\n',
    })
  })
})
