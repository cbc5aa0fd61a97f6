import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { LIMITS, problems } from '@storey/contract'
import { addressGroup, limitNewConnections } from '@storey/kit/client-address'
import { announcesBody, createTraceObserver, type HttpObserver, observe } from '@storey/kit/http'
import { isTracing } from '@storey/kit/tracing'
import { ACCEPT_LIMIT_MS, createAcceptFirst } from './accept-first.ts'
import { createAnswers, type RequestTargets } from './answer-request.ts'
import type { Callers } from './callers.ts'
import { type Claim, claimOf } from './claim.ts'
import { answerClientErrors } from './client-errors.ts'
import type { Exchange } from './connection.ts'
import { type ConnectionLimits, createConnections } from './connections.ts'
import { createDirectIngest } from './direct-ingest.ts'
import type { UnreadLimits } from './find-unread.ts'
import { createProxiedClientLimit } from './limit-proxied-clients.ts'
import { limitUnauthenticatedBytes, type UnauthenticatedBytes } from './limit-unauthenticated-bytes.ts'
import { createLiveUpgrades, UPGRADE_BEHIND } from './live-upgrade.ts'
import { isLiveUpgrade } from './locate.ts'
import { enforceMinimumRate, type MinimumRate } from './minimum-rate.ts'
import { createUnauthenticatedQueue, type Waiting } from './unauthenticated-queue.ts'

export interface GatewayOptions extends RequestTargets {
  /** What observes every request, such as the metrics and the access log. */
  observers?: readonly HttpObserver[]
  callers: Callers
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

const HEAD_LIMIT_MS = 10_000

export interface Gateway {
  server: Server
  /** Continues to serve requests, and asks clients to use another connection for their next request. */
  drain(): void
  /** Accepts no more connections and requests, and closes connections when their requests are answered. */
  close(): Promise<void>
}

/** How long requests in progress may take before their connections are closed. */
const CLOSE_LIMIT_MS = 2_000

/** Accepts all connections, and queues their requests and upgrades, so that no client takes the turns of others. */
export function createGateway(options: GatewayOptions): Gateway {
  const { addresses, stacks, log, responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options
  const { clientAddress, isTrustedProxy } = options.clientAddresses
  const scheme = new URL(addresses.publicUrl).protocol.slice(0, -1)
  // The span of a request exists before the other observers see the request.
  const tracing = isTracing() ? [createTraceObserver({ scheme, isTrustedProxy })] : []
  const observers = [...tracing, ...(options.observers ?? [])]
  const groupOf = (request: IncomingMessage) => addressGroup(clientAddress(request))

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
    // like one without an upgrade. `answer-request.ts` refuses a live upgrade with a body, because Node would wait for
    // the end of the body, without a time limit, before it reports the upgrade.
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
  const proxiedClients = createProxiedClientLimit(options.clientAddresses, options.limits.perAddress)
  const passing = { ...options, responseTimeoutMs, scheme, groupOf, proxiedClients }
  const begin = createAnswers({ ...passing, isFromCaller, onAnswered: direct.answered })
  const live = createLiveUpgrades({ ...passing, observers, connections })
  // A trace must cover the whole path of a request, so no connection is transferred for direct ingest.
  if (isTracing()) direct.close()
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
    const begin = () => void live.upgrade(request, connection, head)
    upgrades.enter(queueKeyOf(request, claimOf(request)), { response: socket, connection, begin })
  })
  // Node would close an idle connection immediately, and leave unread bytes of its last response to the kernel.
  server.on('timeout', (socket) => connections.of(socket)?.finish())
  answerClientErrors(server, (socket) => connections.of(socket))
  const close = () =>
    new Promise<void>((resolve) => {
      direct.close()
      for (const connection of connections.all()) connection.endAfterAnswers()
      live.close()
      server.close(() => resolve())
      setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS).unref()
    })
  const drain = () => {
    isDraining = true
    direct.close()
  }
  return { server, drain, close }
}
