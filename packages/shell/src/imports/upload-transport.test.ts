import { afterEach, expect, it, vi } from 'vitest'
import { uploadTransport } from './upload-transport.ts'

afterEach(() => vi.unstubAllGlobals())

/** Answers every request with this status and text. */
function stubRequests(status: number, responseText: string): void {
  class Answered extends EventTarget {
    readonly upload = new EventTarget()
    readonly status = status
    readonly statusText = ''
    readonly responseText = responseText
    open() {}
    setRequestHeader() {}
    getAllResponseHeaders() {
      return 'etag: "1"\r\n'
    }
    send() {
      queueMicrotask(() => this.dispatchEvent(new Event('load')))
    }
  }
  vi.stubGlobal('XMLHttpRequest', Answered)
}

const send = () => uploadTransport(() => undefined)('http://sandbox.localhost/', { method: 'POST', headers: {} })

it('returns status, headers and body of the response', async () => {
  stubRequests(202, '{"id":"1"}')
  const response = await send()
  expect([response.status, response.headers.get('etag')]).toEqual([202, '"1"'])
  expect(await response.json()).toEqual({ id: '1' })
})

it.each([204, 205, 304])('returns a response without a body: %i', async (status) => {
  stubRequests(status, '')
  const response = await send()
  expect([response.status, response.body]).toEqual([status, null])
})
