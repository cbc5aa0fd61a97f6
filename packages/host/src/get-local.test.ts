import { once } from 'node:events'
import { createServer, type RequestListener, setGlobalProxyFromEnv } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { getLocal } from './get-local.ts'

const ends: (() => unknown)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  ends.push(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

it('a request to a program on this machine is sent directly, even if the environment names a proxy', async () => {
  const proxy = await serve((_, response) => response.end('from the proxy'))
  ends.push(setGlobalProxyFromEnv({ HTTP_PROXY: `http://127.0.0.1:${proxy}` }))
  const port = await serve(({ url, headers }, response) => response.writeHead(404).end(`${headers.host}${url}`))
  const target = { host: '127.0.0.1', port, path: '/readyz', limitMs: 5_000 }
  expect(await getLocal({ ...target, headers: { host: 'a.example' } })).toEqual({
    status: 404,
    text: 'a.example/readyz',
  })
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('from the proxy')
})

it.each([
  ['sends nothing', () => undefined],
  ['sends only a part of its answer', (_: unknown, response) => void response.write('a')],
] satisfies [string, RequestListener][])('a program that %s is awaited for a limited time', async (_, answer) => {
  const port = await serve(answer)
  await expect(getLocal({ host: '127.0.0.1', port, path: '/', limitMs: 50 })).rejects.toThrow(
    'no answer within 0.05 seconds',
  )
})
