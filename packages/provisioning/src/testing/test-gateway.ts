import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createClientAddresses, parseRange } from '@storey/kit/client-address'
import { silentLog } from '@storey/kit/log'
import { createAddresses } from '../addresses.ts'
import type { SandboxRow } from '../features/sandboxes/sandboxes.store.ts'
import { createCallers } from '../gateway/callers.ts'
import { CONNECTION_LIMITS } from '../gateway/connections.ts'
import { createCors } from '../gateway/cors.ts'
import { createGateway, type GatewayOptions } from '../gateway/gateway.ts'
import type { StackPool, UsedBy } from '../stacks/stack-pool.ts'
import type { RunningStack } from '../stacks/stack-runtime.ts'

/** A request as the stack parsed it. */
export interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  trailers: string[]
  body: string
  /** False if the connection ended before the request was complete. */
  complete: boolean
  /** The port of the gateway's end of the connection, which identifies the connection. */
  from: number
}

type Answer = (
  seen: Pick<Seen, 'method' | 'url' | 'headers'>,
  request: IncomingMessage,
) => { early?: boolean; status?: number; headers?: Record<string, string>; body?: string; raw?: string } | undefined

/**
 * Starts a server that records every parsed request and every parse error. By default it responds with the request's
 * `x-marker`.
 */
export async function startRecorder(answer: Answer = () => ({})) {
  const seen: Seen[] = []
  const refused: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers, rawHeaders, socket } = request
    const entry: Seen = {
      ...{ method, url, headers, rawHeaders },
      ...{ trailers: [], body: '', complete: false, from: socket.remotePort! },
    }
    seen.push(entry)
    const script = answer(entry, request)
    const send = () => {
      if (script === undefined) return
      if (script.raw !== undefined) return void socket.write(script.raw)
      const marker = String(headers['x-marker'] ?? '')
      response.writeHead(script.status ?? 200, { 'x-marker': marker, ...script.headers }).end(script.body ?? marker)
    }
    if (script?.early) send()
    request.setEncoding('latin1').on('data', (chunk: string) => {
      entry.body += chunk
    })
    request.on('error', () => undefined)
    request.on('end', () => {
      entry.complete = true
      entry.trailers = request.rawTrailers
      if (!script?.early) send()
    })
  })
  // Like a stack, the server sends no 100 Continue if it responds early.
  server.on('checkContinue', (request: IncomingMessage, response) => {
    const { method = '', url = '', headers } = request
    if (!answer({ method, url, headers }, request)?.early) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('clientError', (err: NodeJS.ErrnoException, socket) => {
    // These two codes mean that the client aborted the request.
    if (err.code !== 'ECONNRESET' && err.code !== 'HPE_INVALID_EOF_STATE') refused.push(String(err.code))
    socket.destroy()
  })
  await listen(server)
  return { seen, refused, server, port: portOf(server) }
}

export interface TestGatewayOptions
  extends Partial<
    Pick<
      GatewayOptions,
      | 'limits'
      | 'minimumRate'
      | 'unreadLimits'
      | 'headLimitMs'
      | 'acceptLimitMs'
      | 'responseTimeoutMs'
      | 'checkCredential'
      | 'observers'
      | 'isHealthChecker'
    >
  > {
  answer?: Answer
  hasPathAddresses?: boolean
  allowLoopback?: boolean
  /** A name without a sandbox. */
  goneSlug?: string
  /** The only name with a sandbox. */
  onlySlug?: string
  controlPlane?: GatewayOptions['controlPlane']
  trustedProxies?: string[]
  /** Delays the start of the stack. */
  wake?: () => Promise<void>
  transferConnection?: RunningStack['transferConnection']
  directIngest?: RunningStack['directIngest']
}

/** A gateway with one recording stack, which serves every sandbox name unless the options exclude it. */
export async function startTestGateway(options: TestGatewayOptions = {}) {
  const stack = await startRecorder(options.answer)
  const running: RunningStack = { host: '127.0.0.1', port: stack.port, ended: new Promise(() => undefined) }
  if (options.transferConnection) running.transferConnection = options.transferConnection
  if (options.directIngest) running.directIngest = options.directIngest
  const unresponsive: string[] = []
  const row = { id: 'sbx_test', status: 'ready', migrationTarget: null, suspendedAt: null } as SandboxRow
  /** How many uses the stack has now, and had at most; `isFromCaller` comes from the last use. */
  const using = { now: 0, most: 0, isFromCaller: (_lastedMs: number) => false }
  const stacks = {
    async use(_sandbox: unknown, { isFromCaller }: Required<UsedBy>) {
      using.most = Math.max(using.most, ++using.now)
      using.isFromCaller = isFromCaller
      await options.wake?.()
      return { stack: running, release: () => void using.now-- }
    },
    stopUnresponsive: (sandboxId: string) => void unresponsive.push(sandboxId),
    noteUnreachable: () => undefined,
  } as unknown as StackPool
  const clientAddresses = createClientAddresses((options.trustedProxies ?? []).map((text) => parseRange(text)!))
  const {
    server: gateway,
    drain,
    close: closeGateway,
  } = createGateway({
    addresses: createAddresses({
      publicUrl: new URL('http://localhost:4000'),
      baseDomain: 'localhost',
      aliases: ['127.0.0.1'],
      machineNames: ['laptop'],
      hasPathAddresses: options.hasPathAddresses ?? true,
    }),
    cors: createCors({ origins: ['https://app.example.com'], allowLoopback: options.allowLoopback ?? true }),
    clientAddresses,
    sandboxCache: {
      find: async (slug) => (slug === options.goneSlug || slug !== (options.onlySlug ?? slug) ? undefined : row),
      invalidate: () => undefined,
      invalidateAll: () => undefined,
    },
    stacks,
    controlPlane: options.controlPlane ?? ((_request, response) => void response.end('control plane')),
    log: silentLog,
    callers: createCallers(clientAddresses),
    checkCredential: options.checkCredential ?? (async () => true),
    limits: options.limits ?? CONNECTION_LIMITS,
    ...(options.responseTimeoutMs === undefined ? {} : { responseTimeoutMs: options.responseTimeoutMs }),
    ...(options.isHealthChecker ? { isHealthChecker: options.isHealthChecker } : {}),
    ...(options.observers ? { observers: options.observers } : {}),
    ...(options.unreadLimits ? { unreadLimits: options.unreadLimits } : {}),
    ...(options.minimumRate ? { minimumRate: options.minimumRate } : {}),
    ...(options.acceptLimitMs ? { acceptLimitMs: options.acceptLimitMs } : {}),
    ...(options.headLimitMs ? { headLimitMs: options.headLimitMs } : {}),
  })
  await listen(gateway)
  const port = portOf(gateway)
  return {
    stack,
    using,
    /** The sandboxes whose stacks were stopped because they did not respond. */
    unresponsive,
    gateway,
    drain,
    closeGateway,
    port,
    /**
     * Opens a raw connection from `localAddress`. With `stays`, the client's side of the connection stays open when the
     * gateway ends its own side.
     */
    async connect(localAddress = '127.0.0.1', stays = false) {
      const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: stays })
      socket.on('error', () => undefined)
      await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', resolve))
      return client(socket)
    },
    async close() {
      for (const server of [gateway, stack.server]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>

function client(socket: Socket) {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = socket.destroyed
    ? Promise.resolve()
    : new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const received = () => Buffer.concat(chunks).toString('latin1')
  return {
    socket,
    received,
    /** Resolves when the connection is closed. */
    closed,
    write: (text: string) => void (socket.destroyed || socket.write(Buffer.from(text, 'latin1'))),
    async until(condition: (received: string) => boolean, limitMs = 15_000): Promise<string> {
      const deadline = performance.now() + limitMs
      while (performance.now() < deadline && !condition(received()) && !socket.destroyed) {
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return received()
    },
  }
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

const portOf = (server: Server) => (server.address() as AddressInfo).port
