import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { get } from './get.ts'

afterEach(() => void vi.useRealTimers())

it('leaves no timer when the server closes the connection in the middle of a body', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const result = await get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(result).toEqual({ state: 'no-answer', reason: 'aborted' })
  expect(vi.getTimerCount()).toBe(0)
})
