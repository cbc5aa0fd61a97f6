import { type IncomingMessage, request as open, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { addressFor } from '../stacks/index.ts'
import { affinityOf } from './affinity.ts'
import { type ForwardOptions, headersFor, StackTimeout } from './forward.ts'
import { answerHeaders, headerLines } from './pass-headers.ts'

export interface UpgradeOptions extends Omit<ForwardOptions, 'framing'> {
  /** Called when the stack has accepted the upgrade. */
  onUpgraded?(): void
}

/**
 * An upgrade request as bytes, for a stack that receives the connection itself. The head is rewritten: whatever the
 * client sent, the stack reads one upgrade request, and all bytes after it belong to the WebSocket.
 */
export function rawUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, options: UpgradeOptions): Buffer {
  const text = `GET ${request.url} HTTP/1.1\r\n${headerLines(upgradeHeaders(request, options))}\r\n`
  return Buffer.concat([Buffer.from(text, 'latin1'), head, unread(socket)])
}

/**
 * The bytes that were received and not read yet. The size is given, because `read` without a size returns only the
 * first of several chunks.
 */
function unread(socket: Socket): Buffer {
  return socket.read(socket.readableLength || undefined) ?? Buffer.alloc(0)
}

/**
 * Forwards an upgrade, then pipes both directions until one side closes. Throws a `StackTimeout` if the stack does not
 * respond in time.
 */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  options: UpgradeOptions,
): Promise<void> {
  const { stack, clientAddress, responseTimeoutMs } = options
  const address = addressFor(stack, affinityOf(request, clientAddress))
  const { host, port } = address
  const headers = upgradeHeaders(request, options)
  const upstream = open({ host, port, path: request.url!, headers, agent: false })
  socket.once('close', () => upstream.destroy())
  const timer = setTimeout(() => upstream.destroy(new StackTimeout(address)), responseTimeoutMs)
  const stopTimer = () => clearTimeout(timer)
  upstream.once('upgrade', stopTimer).once('response', stopTimer).once('close', stopTimer)
  await new Promise<void>((resolve, reject) => {
    upstream.once('error', (err) => {
      if (!socket.destroyed) stack.replicas?.avoid(address)
      reject(err)
    })
    upstream.once('upgrade', (answer, other, otherHead) => {
      options.onUpgraded?.()
      socket.write(answerHead(answer, { connection: 'Upgrade', upgrade: 'websocket' }))
      if (otherHead.length > 0) socket.write(otherHead)
      if (head.length > 0) other.write(head)
      socket.once('error', () => other.destroy())
      other.once('error', () => socket.destroy())
      socket.once('close', () => other.destroy())
      other.once('close', () => {
        socket.destroy()
        resolve()
      })
      socket.pipe(other).pipe(socket)
    })
    upstream.once('response', (answer) => {
      // The stack refused the upgrade. The end of the connection is the end of this response.
      socket.write(answerHead(answer, { connection: 'close' }))
      socket.once('finish', () => socket.destroy())
      pipeline(answer, socket).then(resolve, reject)
    })
    upstream.end()
  })
}

function upgradeHeaders(request: IncomingMessage, options: UpgradeOptions) {
  return { ...headersFor(request, options), connection: 'Upgrade', upgrade: 'websocket' }
}

function answerHead(answer: IncomingMessage, own: Record<string, string>): Buffer {
  const status = answer.statusCode!
  const lines = headerLines({ ...answerHeaders(answer.headers), ...own })
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n`, 'latin1')
}
