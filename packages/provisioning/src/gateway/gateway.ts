import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, LIVE_ROUTE, problems } from '@storey/contract'
import { addressGroup, type ClientAddresses, limitNewConnections } from '@storey/kit/client-address'
import {
  announcesBody,
  CLIENT_CLOSED,
  createTraceObserver,
  endObserved,
  type HttpObserver,
  holdContinue,
  newRequestId,
  observe,
  observeUpgrade,
  toProblem,
} from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { isTracing, recordWait, runInSpan } from '@storey/kit/tracing'
import { unreadOf } from '@storey/kit/unread'
import type { Addresses } from '../addresses.ts'
import type { PeopleHttp } from '../features/people/index.ts'
import { DATABASE_MISSING, refuseMigrating, refuseSuspended, type SandboxRow } from '../features/sandboxes/index.ts'
import type { StackPool } from '../stacks/index.ts'
import { ACCEPT_LIMIT_MS, createAcceptFirst } from './accept-first.ts'
import type { Callers } from './callers.ts'
import { type Claim, claimOf } from './claim.ts'
import { answerClientErrors } from './client-errors.ts'
import { offersUpgrade } from './client-socket.ts'
import type { Exchange } from './connection.ts'
import { type ConnectionLimits, createConnections } from './connections.ts'
import type { Cors } from './cors.ts'
import type { CredentialCheck } from './credential-check.ts'
import { createDirectIngest } from './direct-ingest.ts'
import { endWhenRead } from './end-when-read.ts'
import type { UnreadLimits } from './find-unread.ts'
import { forward, StackGone, StackTimeout } from './forward.ts'
import { createProxiedClientLimit } from './limit-proxied-clients.ts'
import { limitUnauthenticatedBytes, type UnauthenticatedBytes } from './limit-unauthenticated-bytes.ts'
import { isLiveUpgrade, locate, PATH_RESPONSE_HEADERS } from './locate.ts'
import { enforceMinimumRate, type MinimumRate } from './minimum-rate.ts'
import { type GatewayPart, realmRoute } from './observe-gateway.ts'
import { problemAnswer, problemText } from './problem-answer.ts'
import { type Framing, type Head, readHead, readUpgradeHead, UPGRADE_WITH_BODY } from './read-head.ts'
import type { SandboxCache } from './sandbox-cache.ts'
import { answerMethods } from './server-options.ts'
import { createUnauthenticatedQueue, type Waiting } from './unauthenticated-queue.ts'
import { answerUnknownHost, redirectPage } from './unknown-host.ts'
import { forwardUpgrade, rawUpgrade } from './upgrade.ts'
import type { WebApps } from './web-apps.ts'

export interface GatewayOptions {
  addresses: Addresses
  clientAddresses: ClientAddresses
  sandboxCache: SandboxCache
  stacks: StackPool
  controlPlane(request: IncomingMessage, response: ServerResponse): void
  /** The routes for the accounts of a sandbox. A stack cannot serve them, because it has no access to accounts. */
  people?: PeopleHttp | undefined
  /** Absent: the web apps are not served. */
  web?: WebApps | undefined
  /** What observes every request, such as the metrics and the access log. */
  observers?: readonly HttpObserver[]
  log: Log
  /** How long a stack may take to start its response. */
  responseTimeoutMs?: number
  /**
   * Whether health checks from this address are answered with any Host header. Health checks from trusted proxies are
   * answered in any case. If this function is absent, only health checks from trusted proxies are answered.
   */
  isHealthChecker?(address: string): boolean
  cors: Cors
  callers: Callers
  checkCredential: CredentialCheck
  limits: ConnectionLimits
  /** How long a client may take to send the headers of a request. */
  headLimitMs?: number
  /** How long unauthenticated requests and upgrades wait at most while new connections arrive. */
  acceptLimitMs?: number
  /** How many bytes may be sent to unauthenticated clients. */
  unauthenticatedBytes?: UnauthenticatedBytes
  /** How many bytes of responses clients may leave unread. */
  unreadLimits?: UnreadLimits
  /** The minimum rate at which clients must send and read. */
  minimumRate?: MinimumRate
}

/** A stack ends a request by itself after a minute, so a stack that has not responded within this time hangs. */
export const RESPONSE_TIMEOUT_MS = 65_000

/** The limit of new connections of one address. It is higher if an address may have more connections open at a time. */
const NEW_CONNECTIONS_PER_SECOND = 400

/**
 * A connection with hundreds of pipelined requests, or with megabytes that are never read, takes about 5 ms of CPU
 * time, as much as this many new connections.
 */
const FLOOD_COST = 50

const END_LIMIT_MS = 1_000
/** A request that was sent to a stack longer ago than this is not repeated when the stack exits. */
const REPEAT_WITHIN_MS = 10_000
const HEAD_LIMIT_MS = 10_000
/**
 * A live connection, or a request with a credential or a live session, counts as a caller's if it lasts longer than
 * this: a stack refuses an invalid credential immediately, and closes a live connection that does not sign in within 5
 * seconds.
 */
const UNAUTHENTICATED_LIMIT_MS = 6_000

export interface Gateway {
  server: Server
  /** Continues to serve requests, and asks clients to use another connection for their next request. */
  drain(): void
  /** Accepts no more connections and requests, and closes connections when their requests are answered. */
  close(): Promise<void>
}

/** How long requests in progress may take before their connections are closed. */
const CLOSE_LIMIT_MS = 2_000

/**
 * Accepts all connections, and routes each request by its host name, or by the path `/s/<slug>`. A request for an
 * unknown host gets 404, with two exceptions: some health checks are answered (`isHealthCheck`), and if the public
 * address is `localhost`, a page at another name of this machine is redirected to that address.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const {
    addresses,
    cors,
    sandboxCache,
    stacks,
    controlPlane,
    people,
    web,
    log,
    responseTimeoutMs = RESPONSE_TIMEOUT_MS,
  } = options
  const { clientAddress, isTrustedProxy } = options.clientAddresses
  const proxiedClients = createProxiedClientLimit(options.clientAddresses, options.limits.perAddress)
  const scheme = new URL(addresses.publicUrl).protocol.slice(0, -1)
  // The span of a request exists before the other observers see the request.
  const tracing = isTracing() ? [createTraceObserver({ scheme, isTrustedProxy })] : []
  const observers = [...tracing, ...(options.observers ?? [])]

  /**
   * Whether the request is a health check that is answered with any Host header. Load balancers and kubelets send the
   * address of the machine in Host, or no Host at all.
   */
  function isHealthCheck(request: IncomingMessage): boolean {
    if (!HEALTH_CHECK.test(request.url ?? '')) return false
    const address = clientAddress(request)
    // If a proxy forwards the request of a client, this is the address of the client.
    return isTrustedProxy(address) || options.isHealthChecker?.(address) === true
  }

  async function sandboxBehind(slug: string): Promise<SandboxRow> {
    const row = await sandboxCache.find(slug)
    if (!row) throw problems.notFound('host')
    return row
  }

  /**
   * Throws if the sandbox cannot get requests now. `start-stack.ts` checks this again, with a row that is not cached.
   */
  function refuseUnready(row: SandboxRow): void {
    const { status } = row
    refuseSuspended(row)
    if (status === 'provisioning') throw problems.notReady('The sandbox is being provisioned', 2)
    if (status === 'failed') {
      const isMissing = row.failureReason === DATABASE_MISSING
      throw problems.notReady(isMissing ? DATABASE_MISSING : 'The sandbox has failed: reset or delete it', 60)
    }
    refuseMigrating(row)
  }

  function begin(exchange: Exchange): void {
    const { span } = exchange.observed ?? {}
    void (span === undefined ? answer(exchange) : runInSpan(span, () => answer(exchange)))
  }

  async function answer(exchange: Exchange): Promise<void> {
    const { request, response, connection, observed } = exchange
    const requestId = newRequestId()
    const answers = (part: GatewayPart) => {
      if (observed) observed.part = part
    }
    if (observed) observed.requestId = requestId
    let head: Head
    try {
      head = readHead(request)
    } catch (err) {
      return connection.refuseCurrent(toProblem(err))
    }
    try {
      if (offersUpgrade(request) && isLiveUpgrade(request)) return connection.refuseCurrent(UPGRADE_WITH_BODY)
      proxiedClients.take(exchange)
      if (request.url === '*') return await answerMethods(exchange, requestId)
      const place = locate(request, head.host, addresses)
      if (place.kind === 'control-plane' || (place.kind === 'unknown' && isHealthCheck(request))) {
        if (place.kind === 'control-plane' && place.isAlias && redirectPage(request, response, addresses.publicUrl))
          return
        // The realms read bodies with their own code, which does not send 100 Continue.
        if (isApi(request)) holdContinue(request, () => exchange.sendContinue())
        else exchange.sendContinue()
        if (web?.portal(request, response)) return answers('portal')
        const isRealm = request.url!.startsWith('/realms/')
        answers(isRealm ? 'realms' : 'provisioning')
        if (isRealm && observed) observed.route = realmRoute(request.url!)
        return controlPlane(request, response)
      }
      if (place.kind === 'unknown') {
        if (place.isMachine && redirectPage(request, response, addresses.publicUrl)) return
        return await answerUnknownHost(exchange, 'host', addresses.publicUrl)
      }
      if (isRest(request)) {
        // A preflight wakes no stack, and does not reveal which sandboxes exist.
        if (cors.answerPreflight(request, response)) return
        cors.allowRead(request, response)
      }
      const sandbox = await sandboxCache.find(place.slug)
      if (!sandbox) return await answerUnknownHost(exchange, 'sandbox', addresses.publicUrl)
      if (observed) observed.sandboxId = sandbox.id
      if (place.isPath) for (const [name, value] of PATH_RESPONSE_HEADERS) response.setHeader(name, value)
      else if (web?.shell(request, response, sandbox)) return answers('shell')
      if (people?.serves(request)) {
        answers('people')
        refuseSuspended(sandbox)
        holdContinue(request, () => exchange.sendContinue())
        return people.handle(request, response, sandbox)
      }
      if (!hasStack(sandbox) && request.url === '/healthz') return answerAlive(response, requestId)
      answers('stack')
      refuseUnready(sandbox)
      await pass(sandbox, exchange, head.framing, requestId, place.isPath ? `/s/${place.slug}` : '')
    } catch (err) {
      if (connection.over.aborted) return
      const problem = toProblem(err)
      if (problem.code === 'INTERNAL') log.error({ err, requestId }, 'request forwarding failed')
      if (response.headersSent) return void response.destroy()
      const { body, headers } = problemAnswer(problem, requestId)
      response
        .writeHead(problem.status, exchange.awaitsContinue ? { ...headers, connection: 'close' } : headers)
        .write(body)
      await endWhenRead(exchange)
    }
  }

  /**
   * Forwards a request to its stack. If the stack exits, a GET or HEAD without a body is retried once on the restarted
   * stack. A request on which the stack worked for long is not retried, because the request may be the reason for the
   * exit.
   */
  async function pass(
    sandbox: SandboxRow,
    exchange: Exchange,
    framing: Framing,
    requestId: string,
    pathPrefix: string,
  ): Promise<void> {
    const { request, connection } = exchange
    const mayBeCaller = (lastedMs: number) => exchange.claim !== '' && lastedMs > UNAUTHENTICATED_LIMIT_MS
    const usedBy = {
      // Once the stack has responded, its response decides. So a client that slowly reads a public document does not
      // count as a caller, and neither does a caller of another sandbox.
      isFromCaller: (lastedMs: number) => exchange.isSignedIn ?? (isFromCaller(exchange) || mayBeCaller(lastedMs)),
      client: groupOf(request),
      verify: () => options.checkCredential(sandbox, request.headers.authorization),
    }
    for (let again = mayRepeat(request, framing); ; again = false) {
      const askedAtMs = performance.now()
      const { stack, release } = await stacks.use(sandbox, usedBy)
      recordWait('wait for stack', askedAtMs)
      const sentAtMs = performance.now()
      try {
        // The client may have disconnected while the stack started.
        if (connection.over.aborted) return
        const forwardOptions = {
          stack,
          framing,
          requestId,
          scheme,
          responseTimeoutMs,
          pathPrefix,
          clientAddress: clientAddress(request),
        }
        await forward(exchange, forwardOptions)
        return void (pathPrefix === '' && direct.answered(exchange, sandbox, stack))
      } catch (err) {
        if (err instanceof StackTimeout) {
          stacks.stopUnresponsive(sandbox.id, stack, connection.link.address())
          throw problems.notReady(NO_RESPONSE, 10)
        }
        if (!(err instanceof StackGone)) throw err
        stacks.noteUnreachable(sandbox.id, stack, connection.link.address())
        if (!again || performance.now() - sentAtMs > REPEAT_WITHIN_MS) throw problems.notReady(STACK_STOPPED, 1)
        // Connections break a moment before the exit of the process is reported. Another replica can be asked
        // immediately.
        if ((stack.replicas?.all().length ?? 1) === 1) await Promise.race([stack.ended, sleep(END_LIMIT_MS)])
      } finally {
        release()
      }
    }
  }

  /**
   * Live connections that this process forwards. They are closed with the gateway, and their clients connect again, to
   * another control plane if there is one.
   */
  const forwarded = new Set<Socket>()

  async function upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const requestId = newRequestId()
    const observed = observeUpgrade(observers, request, { part: 'stack', clientAddress: clientAddress(request) })
    observed.requestId = requestId
    observed.route = LIVE_ROUTE
    const sentBefore = socket.bytesWritten
    socket.on('error', () => socket.destroy())
    try {
      // The stack that gets the connection does not count the bytes that the gateway sent before, so the client must
      // have read all of them.
      if (socket.bytesWritten > 0 && (await unreadOf(socket)) > 0) throw problems.validation([UPGRADE_BEHIND])
      const place = locate(request, readUpgradeHead(request).host, addresses)
      if (place.kind !== 'sandbox') throw problems.notFound('host')
      const sandbox = await sandboxBehind(place.slug)
      observed.sandboxId = sandbox.id
      refuseUnready(sandbox)
      // The client of a live connection signs in at the stack. Here only a valid token in the header, or the duration
      // of the connection, shows that the client is a caller.
      let isVerified = false
      const verified = options.checkCredential(sandbox, request.headers.authorization)
      void verified.then((isValid) => {
        isVerified = isValid
      })
      const { stack, release } = await stacks.use(sandbox, {
        isFromCaller: (lastedMs) => isVerified || lastedMs > UNAUTHENTICATED_LIMIT_MS,
        client: groupOf(request),
        verify: () => verified,
      })
      try {
        // The client may have disconnected while the stack started.
        if (socket.destroyed) return
        const forwardOptions = { stack, requestId, scheme, responseTimeoutMs, clientAddress: clientAddress(request) }
        observed.status = 101
        if (stack.transferConnection)
          await stack.transferConnection(socket, rawUpgrade(request, socket, head, forwardOptions))
        else {
          forwarded.add(socket)
          await forwardUpgrade(request, socket, head, forwardOptions).catch((err) => {
            if (!(err instanceof StackTimeout)) throw problems.notReady(STACK_STOPPED, 1)
            stacks.stopUnresponsive(sandbox.id, stack, err.address)
            throw problems.notReady(NO_RESPONSE, 10)
          })
        }
      } finally {
        forwarded.delete(socket)
        release()
      }
    } catch (err) {
      const problem = toProblem(err)
      if (socket.bytesWritten === sentBefore) observed.status = problem.status
      connections.of(socket)?.finish(problemText(problem, requestId))
    } finally {
      observed.isAborted = observed.status === 0
      observed.status ||= CLIENT_CLOSED
      endObserved(observers, observed, socket.bytesWritten - sentBefore)
    }
  }

  const server = createServer({
    requestTimeout: LIMITS.requestMs,
    headersTimeout: options.headLimitMs ?? HEAD_LIMIT_MS,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    // The strict parser is used, even if NODE_OPTIONS contains --insecure-http-parser.
    insecureHTTPParser: false,
    // `readHead` checks the Host header instead, so that the refusal is a problem like all others.
    requireHostHeader: false,
    // Node reports only live upgrades without a body. Another upgrade (such as h2c) is ignored: its request is answered
    // like one without an upgrade. `answer` refuses a live upgrade with a body, because Node would wait for the end of
    // the body, without a time limit, before it reports the upgrade.
    shouldUpgradeCallback: (request) => isLiveUpgrade(request) && !announcesBody(request),
  })
  // All headers are read, within the 16 KB limit: a skipped header could be the one that frames the body.
  server.maxHeadersCount = 0
  const newPerSecond = Math.max(NEW_CONNECTIONS_PER_SECOND, options.limits.perAddress)
  const newConnections = limitNewConnections(server, {
    burst: newPerSecond,
    perSecond: newPerSecond,
    isExempt: isTrustedProxy,
  })
  const acceptFirst = createAcceptFirst(options.acceptLimitMs ?? ACCEPT_LIMIT_MS)
  const connections = createConnections({
    limits: options.limits,
    clientAddresses: options.clientAddresses,
    callers: options.callers,
    onFlood: (address) => newConnections.charge(address, FLOOD_COST),
    serve: (exchange) => {
      const { request, response, claim } = exchange
      direct.received(exchange)
      if (observers.length > 0)
        exchange.observed = observe(observers, request, response, {
          part: 'gateway',
          clientAddress: clientAddress(request),
        })
      const { authorization = '' } = request.headers
      if (isFromCaller(exchange)) unauthenticatedBytes.runForCaller(authorization, exchange, () => begin(exchange))
      else queue.enter(queueKeyOf(request, claim), exchange, request.headers.authorization)
    },
  })
  // A request without a credential or live session is not a caller's, even on a connection that a caller has used.
  const isFromCaller = ({ request, claim }: Exchange) => claim !== '' && options.callers.sent(request)
  const unauthenticatedBytes = limitUnauthenticatedBytes(options.callers.isCaller, options.unauthenticatedBytes)
  const queue = createUnauthenticatedQueue<Exchange>((exchange) =>
    unauthenticatedBytes.run(groupOf(exchange.request), exchange, () =>
      acceptFirst.run(() => exchange.connection.over.aborted || begin(exchange)),
    ),
  )
  // A stack accepts connections one after another, so upgrades are queued by address: the upgrades of one address must
  // not delay those of all others.
  const upgrades = createUnauthenticatedQueue<Waiting & { begin(): void }>(({ begin, connection }) =>
    acceptFirst.run(() => connection.over.aborted || begin()),
  )
  const direct = createDirectIngest({
    ...{ server, connections, stacks, observers, callers: options.callers },
    clientAddress,
    silenceLimitMs: responseTimeoutMs,
  })
  // A trace must cover the whole path of a request, so no connection is transferred for direct ingest.
  if (isTracing()) direct.close()
  const groupOf = (request: IncomingMessage) => addressGroup(clientAddress(request))
  const queueKeyOf = (request: IncomingMessage, claim: Claim) => `${groupOf(request)} ${claim}`
  const minimumRate = enforceMinimumRate({
    connections,
    log,
    minimumRate: options.minimumRate,
    unreadLimits: options.unreadLimits,
    onUnread: ({ remoteAddress = '' }) => newConnections.charge(remoteAddress, FLOOD_COST),
  })
  server.on('close', () => minimumRate.close())
  server.on('connection', (socket) => {
    acceptFirst.accepted()
    connections.add(socket)
  })
  let isDraining = false
  function take(request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void {
    const connection = connections.of(request.socket)
    connection?.take(request, response, awaitsContinue)
    if (isDraining) connection?.endAfterAnswers()
  }
  server.on('request', (request, response) => take(request, response))
  server.on('checkContinue', (request, response) => take(request, response, true))
  server.on('upgrade', (request, socket, head) => {
    const connection = connections.of(socket)
    if (!connection?.beginUpgrade()) return void connection?.refuse(problems.validation([UPGRADE_BEHIND]))
    const begin = () => void upgrade(request, socket as Socket, head)
    upgrades.enter(queueKeyOf(request, claimOf(request)), { response: socket, connection, begin })
  })
  // Node would close an idle connection immediately, and leave unread bytes of its last response to the kernel.
  server.on('timeout', (socket) => connections.of(socket)?.finish())
  answerClientErrors(server, (socket) => connections.of(socket))
  const close = () =>
    new Promise<void>((resolve) => {
      direct.close()
      for (const connection of connections.all()) connection.endAfterAnswers()
      for (const socket of forwarded) socket.destroy()
      server.close(() => resolve())
      setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS).unref()
    })
  const drain = () => {
    isDraining = true
    direct.close()
  }
  return { server, drain, close }
}

const HEALTH_CHECK = /^\/(?:healthz|readyz)(?:\?|$)/

const isRest = ({ url = '' }: IncomingMessage): boolean => /^\/(?:api\/|healthz(?:\?|$))/.test(url)

const isApi = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/v1/')

const NO_RESPONSE = 'The sandbox did not respond and is being stopped: the next request starts it'
const STACK_STOPPED = 'The sandbox stopped while it handled the request'

const UPGRADE_BEHIND = {
  pointer: '/upgrade',
  in: 'header' as const,
  detail: 'an upgrade must not be sent before the responses to all earlier requests are read',
}

const mayRepeat = ({ method }: IncomingMessage, framing: Framing): boolean =>
  (method === 'GET' || method === 'HEAD') && Object.keys(framing).length === 0

const hasStack = ({ status, migrationTarget, suspendedAt }: SandboxRow): boolean =>
  status === 'ready' && migrationTarget === null && suspendedAt === null

function answerAlive(response: ServerResponse, requestId: string): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId })
  response.end(JSON.stringify({ status: 'ok' }))
}
