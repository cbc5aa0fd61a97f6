import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { StackCommand, StackMessage, StackReport } from '@storey/contract'

export interface SmallChannelOptions {
  port: number
  key: string
  onCommand(command: StackCommand): void
  report(): Promise<StackReport>
}

/** When a control plane connects, it gets the last message of each of these types. */
const STATE: readonly StackMessage['type'][] = ['listening', 'due', 'storage', 'schema']

/** One control channel for all replicas of a stack. Its protocol is that of the channel of a single stack process. */
export async function openSmallChannel({ port, key, onCommand, report }: SmallChannelOptions) {
  const state = new Map<StackMessage['type'], StackMessage>()
  const followers = new Set<ServerResponse>()
  const lineOf = (message: StackMessage) => `${JSON.stringify(message)}\n`
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
    if (request.url === '/messages') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.flushHeaders()
      for (const type of STATE) if (state.has(type)) response.write(lineOf(state.get(type)!))
      followers.add(response)
      response.once('close', () => followers.delete(response))
      return
    }
    const command = JSON.parse(await text(request)) as StackCommand
    if (command.type !== 'report') {
      onCommand(command)
      return void response.writeHead(204).end()
    }
    report().then(
      (found) => response.end(JSON.stringify(found)),
      () => response.writeHead(503).end(),
    )
  })
  const heartbeat = setInterval(() => followers.forEach((follower) => void follower.write('\n')), 5_000)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    send(message: StackMessage): void {
      state.set(message.type, message)
      for (const follower of followers) follower.write(lineOf(message))
    },
    async close(): Promise<void> {
      clearInterval(heartbeat)
      const ended = [...followers].map((follower) => new Promise<void>((resolve) => follower.once('close', resolve)))
      for (const follower of followers) follower.end(lineOf({ type: 'stopped' }))
      await Promise.race([Promise.all(ended), new Promise((resolve) => setTimeout(resolve, 1_000))])
      server.closeAllConnections()
    },
  }
}
