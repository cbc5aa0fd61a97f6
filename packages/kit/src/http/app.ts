import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { LIMITS, NoQuery, Problem, type ProblemCode, ProblemSchema, problems } from '@storey/contract'
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify'
import { type ClientAddresses, directAddresses } from '../client-address/index.ts'
import { systemClock } from '../clock.ts'
import { isUnavailable } from '../database/index.ts'
import type { Log } from '../log.ts'
import { announcesBody, BODIES, type BodyRule } from './body-rule.ts'
import { compressResponses } from './compress-response.ts'
import { addEntityTags, isSafe, readPreconditions } from './entity-tags.ts'
import { createAnswerError, isRead } from './errors.ts'
import { deferContinue } from './expect-continue.ts'
import { limitWork } from './limit-work.ts'
import { type ObservedCaller, observedOf, UNMATCHED_ROUTE } from './observe.ts'
import { type Described, serveApiDocument } from './openapi.ts'
import { checkDeclared } from './preconditions.ts'
import { type CountFor, createRequestLimits, type RequestLimit, type RequestLimits } from './rate-limit.ts'
import { discardBody, readBodies, refuseUnread } from './read-body.ts'
import { createReadiness } from './readiness.ts'
import { newRequestId } from './request-id.ts'
import { problemsOf } from './route-problems.ts'
import { RouteTable } from './route-table.ts'
import { traceRequests } from './trace-requests.ts'
import { createValidatorCompiler } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission or scope that a caller needs for this route; `public`: no credential. */
    access?: string
    /** For the API document: the schema of the body, if the route reads or parses the body itself. */
    describedBody?: unknown
    /** The bodies that the route accepts. By default small JSON if the route has a body schema, otherwise no body. */
    body?: BodyRule
    /** Ignores unknown parameters, which monitors and shared links add. */
    ignoresQuery?: boolean
    /** Problems of this operation that do not follow from its other declarations. */
    problems?: readonly ProblemCode[]
    /** All problems that the route may answer with; set when the route is added. */
    answers?: ReadonlySet<ProblemCode>
  }
  interface FastifyRequest {
    /** True once the caller is authorized. Stays false on public routes. */
    isKnown: boolean
    /** The address of the client, even if the request came through a trusted proxy. */
    clientAddress: string
  }
}

export interface HttpOptions extends Described {
  log: Log
  /**
   * Authorizes the caller of a route with this `access`, or throws. Not called for public routes. It must call `count`
   * as soon as it knows the caller. `count` throws if the caller is above the rate limit.
   */
  authorize(request: FastifyRequest, access: string, count: CountFor): Promise<void>
  /** Called for each request before any check, with the template of its route. */
  onRouted?(request: FastifyRequest, reply: FastifyReply, route: string): void
  /** The caller of an authorized request, for the code that observes requests in front of this application. */
  callerOf?(request: FastifyRequest): ObservedCaller
  /** Called for each authorized request. */
  onSignedIn?(request: FastifyRequest, reply: FastifyReply): void
  /** The rate limit of each caller, on all routes that are not public. Absent: no limit. */
  rateLimit?: RequestLimit
  /** Created from `rateLimit` when absent. */
  limits?: RequestLimits
  /** Problems of a route that are specific to this application. */
  problemsOf?(route: RouteOptions): readonly ProblemCode[]
  /** Rejects when a dependency does not respond; the result becomes part of the response. */
  checkReady(): Promise<object> | Promise<void>
  /** True behind the gateway, which sends the request id. The request id of any other client is not trusted. */
  trustRequestId?: boolean
  /** The time limit for handling a request. */
  workLimitMs?: number
  /** The proxies that may name a client's address. Absent: none. */
  clientAddresses?: ClientAddresses
}

const MAX_HEADER_BYTES = 32 * 1024

export type HttpApp = Awaited<ReturnType<typeof createHttp>>

/** An HTTP application with what all our HTTP applications need: errors, validation, health checks, API documents. */
export async function createHttp(options: HttpOptions) {
  const answerError = createAnswerError(options.log)
  const app = fastify({
    loggerInstance: withoutInfo(options.log) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Larger than the gateway's limit, because the gateway adds a few headers.
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    genReqId: newRequestId,
    requestIdHeader: options.trustRequestId ? 'x-request-id' : false,
    requestTimeout: LIMITS.requestMs,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: answerError,
    // A parameter may be as long as the whole head, so that an overlong id is a 404 like any other unknown id.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(createValidatorCompiler(() => app.getSchemas()))
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(() => {
    throw problems.notFound('route')
  })
  // Without this option, the application runs in the process of the gateway, and the gateway traces the requests.
  if (options.trustRequestId) traceRequests(app as never)
  deferContinue(app.server)
  readBodies(app)
  limitWork(app, options.workLimitMs)
  app.decorateRequest('isKnown', false)
  app.addSchema(ProblemSchema)

  const routes = new RouteTable()
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) {
      throw new Error(`${route.method} ${route.url} declares no access: give it config.access`)
    }
    for (const method of [route.method].flat()) checkDeclared({ ...route, method })
    const takesBody = route.schema?.body !== undefined || route.config.describedBody !== undefined
    if (route.config.ignoresQuery !== true) route.schema = { querystring: NoQuery, ...route.schema }
    if (route.config.ignoresQuery !== true && !isClosed(route.schema?.querystring)) {
      throw new Error(`${route.method} ${route.url} accepts unknown parameters: set additionalProperties to false`)
    }
    route.config = { body: takesBody ? BODIES.small : BODIES.none, ...route.config }
    route.config.answers = problemsOf(route, (added) => options.problemsOf?.(added as RouteOptions) ?? [])
    routes.add(route.url, route.method)
  })
  const limits = options.limits ?? createRequestLimits(options.rateLimit ?? { perMinute: 0, clock: systemClock })
  const { clientAddress } = options.clientAddresses ?? directAddresses
  const { onRouted, callerOf } = options
  app.decorateRequest('clientAddress', '')
  // Everything that can be decided from the head of a request is checked here, before any of the body is read.
  app.addHook('onRequest', async (request, reply) => {
    // Read now, because a closed connection has no address any more.
    request.clientAddress = clientAddress(request.raw)
    const route = request.is404 ? UNMATCHED_ROUTE : request.routeOptions.url!
    const observed = observedOf(request.raw)
    if (observed) {
      observed.route = route
      observed.requestId = request.id
    }
    onRouted?.(request, reply, route)
    reply.header('x-request-id', request.id)
    // A browser must not run a response as a page or a script, whatever is in it.
    reply.header('x-content-type-options', 'nosniff')
    refuseNul(request.url)
    if (request.is404) return answerUnrouted(request, reply, routes.methodsAt(request.url))
    const { access } = request.routeOptions.config
    if (access !== 'public') {
      await limits.run(request, reply, (count) => options.authorize(request, access!, count))
      request.isKnown = true
      if (observed && callerOf) observed.caller = callerOf(request)
      options.onSignedIn?.(request, reply)
    }
    readPreconditions(request)
    refuseUnread(request)
    if (announcesBody(request.raw)) refuseQuery(request)
    await discardBody(request)
  })

  addEntityTags(app as never, options.log)
  // Hooks run in this order. Compression comes after the entity tags, which are computed from the uncompressed bytes.
  // Compression skips a response that has `no-store`, because the response contains a secret. So it comes before the
  // next hook, which adds `no-store` to ordinary responses too.
  compressResponses(app as never)
  // This hook comes after the entity tags, which set a `cache-control` of their own. Some proxies give a cached
  // response to other callers unless the response forbids caching.
  app.addHook('onSend', async ({ method }, reply) => {
    if (isSafe(method) && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  // During shutdown, responses close their connection. Otherwise the connection would stay open until its idle timeout.
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (request, reply) => {
    // A connection also ends if the body of its request was not read completely.
    if (closing || !isRead(request)) reply.header('connection', 'close')
  })

  await serveApiDocument(app, options)
  const hidden = { config: { access: 'public', ignoresQuery: true }, schema: { hide: true } }
  app.get('/healthz', hidden, async () => ({ status: 'ok' }))
  const checkReady = createReadiness(async () => (await options.checkReady()) ?? {})
  app.get('/readyz', hidden, async () => {
    const details = await checkReady().catch((cause) => {
      // Anybody can call this route as often as they like, so a failure is logged only at the level debug. An outage of
      // the database is not logged here: the error handler logs it, at most once in ten seconds for each error code.
      if (cause instanceof Problem) throw cause
      if (!isUnavailable(cause)) options.log.debug({ err: cause }, 'readiness check failed')
      throw problems.notReady('A dependency of this service is not responding', 2, cause)
    })
    return { status: 'ready', ...details }
  })
  return app
}

/** Whether the schema of the query refuses unknown parameters. */
function isClosed(querystring: unknown): boolean {
  return (querystring as { additionalProperties?: unknown }).additionalProperties === false
}

/** Validates the query parameters now, because the framework validates them only after it has read the body. */
function refuseQuery(request: FastifyRequest): void {
  const check = request.getValidationFunction('querystring') as unknown as ((query: unknown) => unknown) | undefined
  const { error } = (check?.(request.query) ?? {}) as { error?: Error }
  if (error) throw error
}

/**
 * Answers a request that matches no route: with 404 for an unknown path, with the allowed methods for OPTIONS, and
 * with 405 for any other method.
 */
async function answerUnrouted(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (methods.length === 0) throw problems.notFound('route')
  if (request.method !== 'OPTIONS') throw problems.methodNotAllowed(request.method, methods)
  await discardBody(request)
  return reply.code(204).header('allow', methods.join(', ')).send()
}

/** The framework logs its own events as info, which is too much for our log. */
function withoutInfo(log: Log): Log {
  return log.isLevelEnabled('info') ? log.child({}, { level: 'warn' }) : log
}

/** No valid id or parameter contains a NUL character, and the database refuses NUL. */
function refuseNul(url: string): void {
  if (!url.includes('%00')) return
  const at = `${url}?`.indexOf('?')
  if (url.slice(0, at).includes('%00')) throw problems.notFound('route')
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (name.includes('\0') || value.includes('\0')) throw problems.query(name, `${name} contains a NUL character`)
  }
}
