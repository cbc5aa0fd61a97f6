import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunningStack } from '../stacks/index.ts'
import { createStackLink } from './stack-link.ts'

const SIZE = 3_000_000
let server: Server
let stack: RunningStack

beforeEach(async () => {
  // The server answers with many repetitions of the last character of the path.
  server = createServer(({ url = '' }, response) => response.end(Buffer.alloc(SIZE, url.at(-1)!)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack = { host: '127.0.0.1', port: (server.address() as AddressInfo).port } as RunningStack
})
afterEach(() => server.close())

/** Reads a response with pauses, and keeps its chunks until the end. */
async function read(link: ReturnType<typeof createStackLink>, path: string): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    link.open(stack, { path }).once('response', resolve).once('error', reject).end(),
  )
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk)
    if (chunks.length % 8 === 0) await sleep(1)
  }
  return Buffer.concat(chunks).toString()
}

it('each stack link returns the bytes of its own response, however slowly the client reads', async () => {
  const links = Array.from('abcde', (letter) => ({ letter, link: createStackLink() }))
  for (let round = 0; round < 2; round++) {
    const bodies = await Promise.all(links.map(({ letter, link }) => read(link, `/${letter}`)))
    for (const [i, { letter }] of links.entries()) expect(bodies[i] === letter.repeat(SIZE)).toBe(true)
  }
  for (const { link } of links) link.drop()
})
