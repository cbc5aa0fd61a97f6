import { connect } from 'node:net'
import type { TestDatabase } from '@storey/kit/testing'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const FORM = 'content-type: application/x-www-form-urlencoded\r\n'

describe('the body of a request to a realm', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  const lines: { level: number; msg: string }[] = []
  beforeAll(async () => {
    test = await identityDatabase()
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
    identity = await serveIdentity({ database: test.database, log })
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  function open(head: string) {
    const socket = connect(Number(new URL(identity.url).port), '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => undefined)
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
    socket.write(`${head}host: x\r\naccept: application/json\r\n`)
    return { socket, closed, received: () => received }
  }

  it.each(['developers/token', 'sandboxes/token', 'developers/device/auth', 'developers/nothing'])(
    '[ERR-25] is refused because of its Content-Length, without being read: %s',
    async (path) => {
      const { socket, received, closed } = open(`POST /realms/${path} HTTP/1.1\r\n${FORM}`)
      socket.write('content-length: 10000000\r\n\r\n')
      await expect.poll(received).toContain('larger than 64 KB')
      expect(received()).toMatch(/^HTTP\/1\.1 413 /)
      expect(received().toLowerCase()).toContain('connection: close')
      await closed
    },
  )

  it.each([
    ['POST', 'developers/token'],
    ['POST', 'sandboxes/interaction/x/sign-in'],
    ['POST', 'developers/nothing'],
    ['GET', 'developers/auth'],
    ['PUT', 'developers/jwks'],
  ])('[ERR-25] is refused at the limit if it never ends: %s %s', async (method, path) => {
    const { socket, closed } = open(`${method} /realms/${path} HTTP/1.1\r\n${FORM}`)
    socket.write('transfer-encoding: chunked\r\n\r\n')
    const chunk = `2000\r\n${'a'.repeat(0x2000)}\r\n`
    // A little more than the limit of 64 KB, and no last chunk.
    for (let sent = 0; sent < 10; sent++) socket.write(chunk)
    expect(await closed).toMatch(/^HTTP\/1\.1 4\d\d /)
  })

  it('[ERR-28] causes no log line above debug level if the client aborts the request', async () => {
    lines.length = 0
    for (const path of ['developers/token', 'sandboxes/interaction/x/sign-in', 'developers/nothing']) {
      const { socket } = open(`POST /realms/${path} HTTP/1.1\r\n${FORM}`)
      socket.write('content-length: 5000\r\n\r\ngrant_type=')
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket.destroy()
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(lines.filter(({ level }) => level > 20)).toEqual([])
  })
})
