import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { rawUpgrade } from './upgrade.ts'

describe('a transferred upgrade', () => {
  it('includes all bytes that follow its head, however many pieces they arrive in', () => {
    const socket = new Socket()
    const request = Object.assign(new IncomingMessage(socket), { url: '/socket.io/', headers: { host: 'a.localhost' } })
    for (const piece of ['second', 'third']) socket.push(piece)
    const stack = { host: '127.0.0.1', port: 1 }
    const passage = { stack, requestId: 'r', scheme: 'http', clientAddress: '127.0.0.1', responseTimeoutMs: 1 }
    const bytes = rawUpgrade(request, socket, Buffer.from('first'), passage as never).toString('latin1')
    expect(bytes.split('\r\n\r\n')[1]).toBe('firstsecondthird')
  })
})
