import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createReplicas, type OpenReplicas, type RunningStack, type StackAddress } from '../stacks/index.ts'
import { affinityOf } from './affinity.ts'
import { createStackLink, type StackLink } from './stack-link.ts'

describe('requests to a stack with several processes', () => {
  const servers: Server[] = []
  const links: StackLink[] = []
  let addresses: StackAddress[]
  let replicas: OpenReplicas
  let stack: RunningStack
  let connections: number
  beforeEach(async () => {
    connections = 0
    for (let i = 0; i < 3; i++) {
      const server = createServer((_request, response) => response.end(`${i}`)).on('connection', () => connections++)
      servers.push(server.listen(0, '127.0.0.1'))
      await once(server, 'listening')
    }
    addresses = servers.map((server) => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }))
    replicas = createReplicas(addresses, { end: async () => undefined })
    stack = { ...addresses[0]!, ended: new Promise(() => undefined), replicas }
  })
  afterEach(() => {
    for (const link of links.splice(0)) link.drop()
    for (const server of servers.splice(0)) server.close()
  })

  function newLink(): StackLink {
    const link = createStackLink()
    links.push(link)
    return link
  }
  async function read(link: StackLink, affinity?: string): Promise<string> {
    const [response] = (await once(link.open(stack, { path: '/' }, affinity).end(), 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    return text
  }

  it('[KUB-21] of several client connections go to the processes in turn, and those of one connection always to one process', async () => {
    const clients = [newLink(), newLink(), newLink(), newLink()]
    for (let round = 0; round < 3; round++)
      expect(await Promise.all(clients.map((link) => read(link)))).toEqual(['0', '1', '2', '0'])
    expect(connections).toBe(4)
  })

  it('[KUB-21] go to another process when their process has ended or could not be reached', async () => {
    const link = newLink()
    expect(await read(link)).toBe('0')
    replicas.set([addresses[1]!, addresses[2]!])
    expect(await read(link)).not.toBe('0')
    expect(link.address()).not.toEqual(addresses[0])
    const before = link.address()
    replicas.avoid(before as StackAddress)
    expect(await read(link)).not.toBe(String(addresses.indexOf(before!)))
  })

  it('[KUB-21] of one polling live connection all go to one process, over any client connection', async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => read(newLink(), '198.51.100.7')))
    expect(new Set(answers).size).toBe(1)
    // Other requests of that client connection go to the same process.
    const link = newLink()
    expect([await read(link, '198.51.100.7'), await read(link)]).toEqual([answers[0], answers[0]])
  })

  it.each([
    ['/socket.io/?EIO=4&transport=polling', 'client'],
    ['/socket.io/?EIO=4&transport=polling&sid=a', 'client'],
    ['/socket.io/?EIO=4&transport=websocket&sid=a', 'client'],
    ['/socket.io/?EIO=4&transport=websocket', undefined],
    ['/socket?transport=polling', 'client'],
    ['/api/v1/buildings?transport=polling', undefined],
    ['/socket.io', undefined],
  ])('[KUB-21] for %s have the affinity %s', (url, affinity) => {
    expect(affinityOf({ url } as IncomingMessage, 'client')).toBe(affinity)
  })
})
