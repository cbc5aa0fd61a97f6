import { timingSafeEqual } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ControlCommand, type StackCommand, type StackMessage, type StackReport } from '@storey/contract'
import { createJsonReader } from '@storey/kit/json-setting'
import { within } from '@storey/kit/within'
import { type Channel, ipcChannel } from './channel.ts'

export interface ControlChannelOptions {
  host?: string
  port: number
  lastMessageFile?: string
  key: string
  /** How often an empty line is sent to control planes, so that both sides notice a broken connection. */
  heartbeatMs?: number
}

/** A control plane that connects gets the last message of each of these types, in this order. */
const STATE: readonly StackMessage['type'][] = ['listening', 'due', 'storage', 'progress', 'seeded', 'schema']
/** Messages that are written to `lastMessageFile`. The process ends after them. */
const LAST: readonly StackMessage['type'][] = ['seeded', 'schema']
const MAX_COMMAND_BYTES = 16 * 1024
const MAX_FOLLOWERS = 64
/**
 * A control plane that has left more bytes than this unread is disconnected. It gets the current state when it connects
 * again.
 */
const MAX_UNREAD_BYTES = 256 * 1024
const HEARTBEAT_MS = 10_000
const CLOSE_LIMIT_MS = 1_000

/**
 * A channel between this process and control planes on other machines, in addition to its IPC channel. `GET /messages`
 * is a stream of messages as NDJSON; several control planes may follow it at the same time. `POST /commands` takes a
 * command.
 */
export async function openControlChannel(options: ControlChannelOptions): Promise<Channel> {
  const { host = '127.0.0.1', port, lastMessageFile, key } = options
  const state = new Map<StackMessage['type'], StackMessage>()
  const followers = new Set<ServerResponse>()
  const commandHandlers = new Map<StackCommand['type'], (command: StackCommand) => void>()
  const readCommand = createJsonReader('the command', ControlCommand)
  let readReport: (() => Promise<StackReport>) | undefined
  let isClosing = false

  const server = createServer({ maxHeaderSize: 8 * 1024, requestTimeout: 10_000, headersTimeout: 5_000 })
  server.maxConnections = 2 * MAX_FOLLOWERS
  server.on('request', (request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const heartbeat = setInterval(() => broadcast('\n'), options.heartbeatMs ?? HEARTBEAT_MS).unref()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!hasKey(request.headers.authorization, key)) return answer(response, 401)
    if (request.method === 'GET' && request.url === '/messages') return follow(response)
    if (request.method === 'POST' && request.url === '/commands') return await take(request, response)
    answer(response, 404)
  }

  function follow(response: ServerResponse): void {
    if (isClosing || followers.size >= MAX_FOLLOWERS) return void answer(response, 503)
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    response.flushHeaders()
    response.socket?.setNoDelay(true)
    for (const type of STATE) if (state.has(type)) response.write(lineOf(state.get(type)!))
    followers.add(response)
    response.once('close', () => followers.delete(response))
    response.on('error', () => undefined)
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request)
    if (text === undefined) return answer(response, 413)
    let command: ControlCommand
    try {
      command = readCommand(text)
    } catch (err) {
      return answer(response, 400, { error: (err as Error).message })
    }
    if (command.type === 'report') {
      const report = await readReport?.().catch(() => undefined)
      return report ? answer(response, 200, report) : answer(response, 503)
    }
    const handler = commandHandlers.get(command.type)
    if (!handler) return answer(response, 503)
    answer(response, 204)
    handler(command)
  }

  function broadcast(text: string): void {
    for (const follower of followers) {
      if (follower.writableLength > MAX_UNREAD_BYTES) follower.destroy()
      else follower.write(text)
    }
  }

  return {
    controlPort: (server.address() as AddressInfo).port,
    async send(message) {
      state.set(message.type, message)
      if (lastMessageFile !== undefined && LAST.includes(message.type))
        writeFileSync(lastMessageFile, JSON.stringify(message))
      broadcast(lineOf(message))
      await ipcChannel.send(message)
    },
    onCommand(type, take) {
      commandHandlers.set(type, (command) => take(command as never))
      ipcChannel.onCommand(type, take)
    },
    onReport(read) {
      readReport = read
      ipcChannel.onReport(read)
    },
    async close() {
      isClosing = true
      clearInterval(heartbeat)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const ended = [...followers].map((follower) => new Promise<void>((resolve) => follower.once('close', resolve)))
      for (const follower of followers) follower.end(lineOf({ type: 'stopped' }))
      await within(CLOSE_LIMIT_MS, Promise.all(ended)).catch(() => undefined)
      server.closeAllConnections()
      await closed
    },
  }
}

const lineOf = (message: StackMessage): string => `${JSON.stringify(message)}\n`

function answer(response: ServerResponse, status: number, body?: object): void {
  // The connection is closed, because the rest of a body that was not read would be parsed as the next request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** The body as text; undefined if it is too long. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_COMMAND_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function hasKey(sent: string | undefined, key: string): boolean {
  const [given, wanted] = [Buffer.from(sent ?? ''), Buffer.from(`Bearer ${key}`)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
