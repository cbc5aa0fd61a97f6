import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StackMessage } from '@storey/contract'

export const KEY = 'k'.repeat(64)

/** The control channel of a stack that sends what the test tells it to. The real one is tested in platform. */
export class ScriptedControl {
  readonly streams: ServerResponse[] = []
  readonly commands: unknown[] = []
  state: StackMessage[] = []
  report: unknown = {}
  commandStatus = 204
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
    if (request.url === '/messages') {
      response.writeHead(200).flushHeaders()
      this.streams.push(response)
      for (const message of this.state) this.write(message, response)
      return
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const command = JSON.parse(text)
    if (command.type === 'report') return void response.end(JSON.stringify(this.report))
    if (this.commandStatus === 204) this.commands.push(command)
    response.writeHead(this.commandStatus).end()
  }

  write(message: StackMessage, to = this.streams.at(-1)!): void {
    to.write(`${JSON.stringify(message)}\n`)
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections()
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined))
  }
}
