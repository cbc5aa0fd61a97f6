import { Agent, type IncomingMessage, request } from 'node:http'
import type { ControlCommand, StackMessage } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
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
const RETRY = { firstMs: 25, maxMs: 1_000 }
const MAX_LINE = 64 * 1024
const MAX_ANSWER = 256 * 1024

/** Follows the messages of a process. A run of the loop connects, and the end of the connection wakes the loop. */
export function followMessages(options: FollowOptions): { close(): void } {
  const { host, port, key, onMessage, onLost, lostAfterMs } = options
  const log = options.log.child({ host })
  const loop = createLoop({ name: 'stack-messages', log, run: connect, retry: RETRY })
  const begunAt = performance.now()
  let lastSeen = begunAt
  let wasAccepted = false
  let isClosed = false

  async function connect(signal: AbortSignal): Promise<number | undefined> {
    try {
      await open(signal)
      wasAccepted = true
      return undefined
    } catch (err) {
      if (giveUpIfLost() || wasAccepted) throw err
      // A process that starts does not listen yet, which is no failure. The pause is as long as the wait so far.
      return Math.min(Math.max(performance.now() - begunAt, RETRY.firstMs), RETRY.maxMs)
    }
  }

  /** Resolves when the process has accepted the connection. */
  function open(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        ...{ host, port, path: '/messages', headers: { authorization: `Bearer ${key}` }, agent: false, signal },
        timeout: CONNECT_LIMIT_MS,
      })
      outgoing.once('timeout', () => outgoing.destroy(new Error('timed out')))
      outgoing.once('response', (response) => {
        if (response.statusCode !== 200)
          return void outgoing.destroy(new Error(`the process answered ${response.statusCode}`))
        resolve()
        response.socket.setTimeout(SILENT_LIMIT_MS, () => outgoing.destroy())
        readLines(
          response,
          (line) => {
            lastSeen = performance.now()
            if (!isClosed && line !== '') read(line)
          },
          () => outgoing.destroy(),
        )
        outgoing.once('close', () => giveUpIfLost() || loop.wakeIn(RETRY.firstMs))
      })
      outgoing.on('error', reject)
      outgoing.once('close', () => reject(new Error('the process closed the connection')))
      outgoing.end()
    })
  }

  function giveUpIfLost(): boolean {
    if (isClosed || performance.now() - lastSeen <= lostAfterMs) return false
    close()
    onLost()
    return true
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

  function close(): void {
    isClosed = true
    void loop.stop()
  }

  loop.wake()
  return { close }
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
