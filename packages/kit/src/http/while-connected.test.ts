import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { whileConnected } from './while-connected.ts'

it('a wait on behalf of a client ends when the client disconnects, and leaves no listener, even if the wait fails', async () => {
  const raw = new EventEmitter()
  expect(await whileConnected({ raw }, async (signal) => signal.aborted)).toBe(false)
  expect(raw.listenerCount('close')).toBe(0)
  await expect(whileConnected({ raw }, () => Promise.reject(new Error('too many wait')))).rejects.toThrow('too many')
  expect(raw.listenerCount('close')).toBe(0)
  const waiting = whileConnected(
    { raw },
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  raw.emit('close')
  await expect(waiting).rejects.toMatchObject({ code: 'NOT_READY' })
})

it('a wait on behalf of a client that has already disconnected ends at once', async () => {
  const raw = Object.assign(new EventEmitter(), { destroyed: true })
  expect(await whileConnected({ raw }, async (signal) => signal.aborted)).toBe(true)
})
