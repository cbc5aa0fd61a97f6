import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { get } from './get.ts'

it('leaves no timer when the server closes the connection in the middle of a body', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const result = await get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(result).toEqual({ state: 'no-answer', reason: 'aborted' })
  // Other timers of the process, such as those of a connection, are not counted.
  const timers = set.mock.results.filter((_, i) => set.mock.calls[i]![1] === 5_000).map(({ value }) => value)
  expect(timers).toHaveLength(1)
  expect(cleared).toHaveBeenCalledWith(timers[0])
})
