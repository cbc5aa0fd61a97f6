import { Agent, type IncomingMessage, request } from 'node:http'
import type { ControlCommand, StackMessage } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { handleMessage } from './stack-messages.ts'

export interface ControlAddress {
  host: string
  port: number
  key: string
}

export interface FollowOptions extends ControlAddress {
  onMessage(message: StackMessage): void
  /** Called when the process could not be reached for `lostAfterMs`. No further attempt is made after this. */
  onLost(): void
  lostAfterMs: number
  log: Log
}

/** A connection without a line for this long counts as broken: the process sends an empty line every ten seconds. */
const SILENT_LIMIT_MS = 30_000
const CONNECT_LIMIT_MS = 3_000
const FIRST_PAUSE_MS = 25
const MAX_PAUSE_MS = 1_000
const MAX_LINE = 64 * 1024
const MAX_ANSWER = 256 * 1024

/** Follows the messages of a process. The pause before each attempt to connect grows, and resets after a connection. */
export function followMessages(options: FollowOptions): { close(): void } {
  const { host, port, key, onMessage, onLost, lostAfterMs, log } = options
  let isClosed = false
  let pauseMs = FIRST_PAUSE_MS
  let lastSeen = performance.now()
  let open: ReturnType<typeof request> | undefined
  let timer: NodeJS.Timeout | undefined

  function connect(): void {
    const outgoing = request({
      ...{ host, port, path: '/messages', headers: { authorization: `Bearer ${key}` }, agent: false },
      timeout: CONNECT_LIMIT_MS,
    })
    open = outgoing
    outgoing.once('timeout', () => outgoing.destroy(new Error('timed out')))
    outgoing.once('response', (response) => {
      if (response.statusCode !== 200) return void outgoing.destroy()
      pauseMs = FIRST_PAUSE_MS
      response.socket.setTimeout(SILENT_LIMIT_MS, () => outgoing.destroy())
      readLines(
        response,
        (line) => {
          lastSeen = performance.now()
          if (!isClosed && line !== '') read(line)
        },
        () => outgoing.destroy(),
      )
    })
    outgoing.on('error', () => undefined)
    outgoing.once('close', again)
    outgoing.end()
  }

  /** A line that is not JSON is ignored. */
  function read(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return
    }
    handleMessage(message, log, onMessage)
  }

  function again(): void {
    if (isClosed) return
    if (performance.now() - lastSeen > lostAfterMs) {
      isClosed = true
      return void onLost()
    }
    timer = setTimeout(connect, pauseMs)
    timer.unref()
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }

  connect()
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
      open?.destroy()
    },
  }
}

const agent = new Agent({ keepAlive: false })

/** Sends a command. Resolves with the answer, which is undefined for commands other than `report`. */
export function postCommand(address: ControlAddress, command: ControlCommand, limitMs: number): Promise<unknown> {
  const { host, port, key } = address
  const body = JSON.stringify(command)
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...{ method: 'POST', host, port, path: '/commands', agent, signal: AbortSignal.timeout(limitMs) },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    outgoing.once('error', reject)
    outgoing.once('response', (response) => {
      readAll(response)
        .then((text) => {
          const status = response.statusCode!
          if (status >= 300) return reject(new Error(`the stack answered ${status}`))
          resolve(text === '' ? undefined : JSON.parse(text))
        })
        .catch(reject)
    })
    outgoing.end(body)
  })
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_ANSWER) throw new Error('the answer is too long')
  }
  return text
}

function readLines(response: IncomingMessage, take: (line: string) => void, tooLong: () => void): void {
  let rest = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    lines.forEach(take)
    if (rest.length > MAX_LINE) tooLong()
  })
  response.on('error', () => undefined)
}
