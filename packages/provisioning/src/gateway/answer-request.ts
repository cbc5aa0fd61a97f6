import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { problems } from '@storey/contract'
import type { ClientAddresses } from '@storey/kit/client-address'
import { holdContinue, newRequestId, toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { recordWait, runInSpan } from '@storey/kit/tracing'
import type { Addresses } from '../addresses.ts'
import type { PeopleHttp } from '../features/people/index.ts'
import { refuseSuspended, type SandboxRow } from '../features/sandboxes/index.ts'
import type { RunningStack, StackPool } from '../stacks/index.ts'
import { offersUpgrade } from './client-socket.ts'
import type { Exchange } from './connection.ts'
import type { Cors } from './cors.ts'
import type { CredentialCheck } from './credential-check.ts'
import { endWhenRead } from './end-when-read.ts'
import { forward, StackGone, StackTimeout } from './forward.ts'
import type { ProxiedClientLimit } from './limit-proxied-clients.ts'
import { isLiveUpgrade, locate, PATH_RESPONSE_HEADERS } from './locate.ts'
import { type GatewayPart, realmRoute } from './observe-gateway.ts'
import { problemAnswer } from './problem-answer.ts'
import { type Framing, type Head, readHead, UPGRADE_WITH_BODY } from './read-head.ts'
import { refuseUnready } from './refuse-unready.ts'
import type { SandboxCache } from './sandbox-cache.ts'
import { answerMethods } from './server-options.ts'
import { NO_RESPONSE, STACK_STOPPED, UNAUTHENTICATED_LIMIT_MS } from './stack-answers.ts'
import { answerUnknownHost, redirectPage } from './unknown-host.ts'
import type { WebApps } from './web-apps.ts'

/** What requests can reach. */
export interface RequestTargets {
  addresses: Addresses
  clientAddresses: ClientAddresses
  sandboxCache: SandboxCache
  stacks: StackPool
  controlPlane(request: IncomingMessage, response: ServerResponse): void
  /** The routes for the accounts of a sandbox. A stack cannot serve them, because it has no access to accounts. */
  people?: PeopleHttp | undefined
  /** Absent: the web apps are not served. */
  web?: WebApps | undefined
  log: Log
  /** How long a stack may take to start its response. */
  responseTimeoutMs?: number
  /**
   * Whether health checks from this address are answered with any Host header. Health checks from trusted proxies are
   * answered in any case. If this function is absent, only health checks from trusted proxies are answered.
   */
  isHealthChecker?(address: string): boolean
  cors: Cors
  checkCredential: CredentialCheck
}

export interface AnswerOptions extends RequestTargets {
  responseTimeoutMs: number
  /** The scheme of the public address. */
  scheme: string
  proxiedClients: ProxiedClientLimit
  isFromCaller(exchange: Exchange): boolean
  /** The group of addresses that counts as one client. */
  groupOf(request: IncomingMessage): string
  /** A stack has answered a request that named the sandbox in its host name. */
  onAnswered(exchange: Exchange, sandbox: SandboxRow, stack: RunningStack): void
}

const END_LIMIT_MS = 1_000
/** A request that was sent to a stack longer ago than this is not repeated when the stack exits. */
const REPEAT_WITHIN_MS = 10_000

/**
 * Returns the function that answers each request, by its host name or by the path `/s/<slug>`. A request for an unknown
 * host gets 404, with two exceptions: some health checks are answered (`isHealthCheck`), and if the public address is
 * `localhost`, a page at another name of this machine is redirected to that address.
 */
export function createAnswers(options: AnswerOptions): (exchange: Exchange) => void {
  const { addresses, cors, sandboxCache, stacks, controlPlane, people, web, log } = options
  const { responseTimeoutMs, scheme, proxiedClients, isFromCaller, groupOf } = options
  const { clientAddress, isTrustedProxy } = options.clientAddresses

  /**
   * Whether the request is a health check that is answered with any Host header. Load balancers and kubelets send the
   * address of the machine in Host, or no Host at all.
   */
  function isHealthCheck(request: IncomingMessage): boolean {
    if (!HEALTH_CHECK.test(request.url ?? '')) return false
    const address = clientAddress(request)
    // If a proxy forwards the request of a client, this is the address of the client, so the request does not count as
    // one from the proxy.
    return isTrustedProxy(address) || options.isHealthChecker?.(address) === true
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
      proxiedClients.take(request, response)
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
        return void (pathPrefix === '' && options.onAnswered(exchange, sandbox, stack))
      } catch (err) {
        if (err instanceof StackTimeout) {
          stacks.stopUnresponsive(sandbox.id, stack, connection.link.address())
          throw problems.outcomeUnknown(NO_RESPONSE, 10)
        }
        if (!(err instanceof StackGone)) throw err
        stacks.noteUnreachable(sandbox.id, stack, connection.link.address())
        if (!again || performance.now() - sentAtMs > REPEAT_WITHIN_MS) throw problems.outcomeUnknown(STACK_STOPPED, 1)
        // Connections break a moment before the exit of the process is reported, so the retry waits for that report.
        // If there is another replica, the retry is sent to it immediately.
        if ((stack.replicas?.all().length ?? 1) === 1) await Promise.race([stack.ended, sleep(END_LIMIT_MS)])
      } finally {
        release()
      }
    }
  }

  return begin
}

const HEALTH_CHECK = /^\/(?:healthz|readyz)(?:\?|$)/

const isRest = ({ url = '' }: IncomingMessage): boolean => /^\/(?:api\/|healthz(?:\?|$))/.test(url)

const isApi = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/v1/')

const mayRepeat = ({ method }: IncomingMessage, framing: Framing): boolean =>
  (method === 'GET' || method === 'HEAD') && Object.keys(framing).length === 0

const hasStack = ({ status, migrationTarget, suspendedAt }: SandboxRow): boolean =>
  status === 'ready' && migrationTarget === null && suspendedAt === null

function answerAlive(response: ServerResponse, requestId: string): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId })
  response.end(JSON.stringify({ status: 'ok' }))
}
