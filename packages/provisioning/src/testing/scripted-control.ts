import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StackMessage } from '@storey/contract'

export const KEY = 'k'.repeat(64)

/** A fake of a stack's control channel. It sends what the test specifies. `packages/platform` tests the real one. */
export class ScriptedControl {
  readonly streams: ServerResponse[] = []
  /** Streams and commands by the host name of the request. Several host names can lead to this server. */
  readonly byHost = new Map<string, { streams: ServerResponse[]; commands: unknown[] }>()
  readonly commands: unknown[] = []
  state: StackMessage[] = []
  report: unknown = {}
  commandStatus = 204
  /** Hosts that respond with 503 to all commands except `report`. */
  readonly refusing = new Set<string>()
  server: Server | undefined
  port = 0

  async start(): Promise<void> {
    this.server = createServer((request, response) => void this.handle(request, response))
    this.server.listen(this.port, '127.0.0.1')
    await once(this.server, 'listening')
    this.port = (this.server.address() as AddressInfo).port
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end()
    const host = request.headers.host!.replace(/:\d+$/, '')
    const own = this.of(host)
    if (request.url === '/messages') {
      response.writeHead(200).flushHeaders()
      this.streams.push(response)
      own.streams.push(response)
      for (const message of this.state) this.write(message, response)
      return
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const command = JSON.parse(text)
    if (command.type === 'report') return void response.end(JSON.stringify(this.report))
    const status = this.refusing.has(host) ? 503 : this.commandStatus
    if (status === 204) {
      this.commands.push(command)
      own.commands.push(command)
    }
    response.writeHead(status).end()
  }

  of(host: string) {
    const known = this.byHost.get(host) ?? { streams: [], commands: [] }
    this.byHost.set(host, known)
    return known
  }

  write(message: StackMessage, to = this.streams.at(-1)!): void {
    to.write(`${JSON.stringify(message)}\n`)
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections()
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined))
  }
}
