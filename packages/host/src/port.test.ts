import { createServer } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { checkPort } from './port.ts'

describe('a port in use', () => {
  const server = createServer((_, response) => response.end(body))
  let body = ''
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  async function refusal(answer: string): Promise<string> {
    body = answer
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const { message } = await checkPort(port, '127.0.0.1').then(
      () => expect.fail('free'),
      (err: Error) => err,
    )
    return message.replace(String(port), '<port>')
  }

  it('[HST-50] is reported with the address of the Storey service that uses it', async () => {
    expect(await refusal('{"type": "urn:storey:problem:unauthenticated"}')).toBe(
      'Storey is already running at http://localhost:<port>. Stop it first, or set PORT and DATA_DIR for a second one.',
    )
  })

  it('is reported with the setting to change if another program uses it', async () => {
    expect(await refusal('hello')).toBe(
      'Port <port> is already in use. Stop the other program, or set PORT to another port.',
    )
  })
})

it('an address that this machine does not have is reported with the setting to change', async () => {
  await expect(checkPort(4000, '203.0.113.7')).rejects.toThrow(
    'This machine has no address 203.0.113.7: set HOST to an address of this machine.',
  )
})
