import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { LIMITS, NoQuery, type ProblemCode, ProblemSchema, problems } from '@storey/contract'
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
import { addEntityTags, checkDeclared, expect } from './entity-tags.ts'
import { createAnswerError, isRead } from './errors.ts'
import { deferContinue } from './expect-continue.ts'
import { type CountFor, createRequestLimits, type RequestLimit } from './limit-requests.ts'
import { limitWork } from './limit-work.ts'
import { type Described, serveApiDocument } from './openapi.ts'
import { passOverBody, readBodies, refuseUnread } from './read-body.ts'
import { newRequestId } from './request-id.ts'
import { problemsOf } from './route-problems.ts'
import { RouteTable } from './route-table.ts'
import { createValidatorCompiler } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller needs for this route: a permission or a scope, or `public` for no credential at all. */
    access?: string
    /** For the document: the body of a route that reads it by itself. */
    describedBody?: unknown
    /** What the route takes as its body. Small JSON unless it says otherwise; nothing without a schema for it. */
    body?: BodyRule
    /** For addresses that monitors call and people share: they add parameters of their own. */
    ignoresQuery?: boolean
    /** The problems that this operation has beyond those that follow from what it declares. */
    problems?: readonly ProblemCode[]
    /** Every problem it can answer, filled in when the route is added. */
    answers?: ReadonlySet<ProblemCode>
  }
  interface FastifyRequest {
    /** The caller has a good credential and is within its limit. */
    isKnown: boolean
    /** Whom the request comes from, also behind a trusted proxy. */
    clientAddress: string
  }
}

export interface HttpOptions extends Described {
  log: Log
  /**
   * Lets the caller of a route with this `access` through, or throws. Never asked for public routes. It says who the
   * caller is, by `count`, as soon as it knows: that is where a rate limit refuses.
   */
  authorize(request: FastifyRequest, access: string, count: CountFor): Promise<void>
  /** Told of each request whose caller was let through. */
  onSignedIn?(request: FastifyRequest, reply: FastifyReply): void
  /** For each caller, on all routes that are not public. None: no limit. */
  rateLimit?: RequestLimit
  /** The problems that this host answers on a route beyond those that all hosts have. */
  problemsOf?(route: RouteOptions): readonly ProblemCode[]
  /** Rejects when a part does not answer; what it resolves with is told along. */
  checkReady(): Promise<object> | Promise<void>
  /** Behind the gateway the request id comes with the request; at the edge a client's own is not believed. */
  trustRequestId?: boolean
  /** How long a request may be worked on. */
  workLimitMs?: number
  /** Whose word on a client's address is taken. None: nobody's. */
  clientAddresses?: ClientAddresses
}

const MAX_HEADER_BYTES = 32 * 1024

export type HttpApp = Awaited<ReturnType<typeof createHttp>>

/** An HTTP application with everything that is the same on every host: errors, validation, health, documents. */
export async function createHttp(options: HttpOptions) {
  const answerError = createAnswerError(options.log)
  const app = fastify({
    loggerInstance: quiet(options.log) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Larger than the gateway's own limit: it adds a few headers to those it lets through.
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    genReqId: newRequestId,
    requestIdHeader: options.trustRequestId ? 'x-request-id' : false,
    requestTimeout: LIMITS.requestMs,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: answerError,
    // As long as a head can be: what no id can be is not found, like any other that nothing has.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(createValidatorCompiler(() => app.getSchemas()))
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(() => {
    throw problems.notFound('route')
  })
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
      throw new Error(`${route.method} ${route.url} lets unknown parameters pass: close its querystring`)
    }
    route.config = { body: takesBody ? BODIES.small : BODIES.none, ...route.config }
    route.config.answers = problemsOf(route, (added) => options.problemsOf?.(added as RouteOptions) ?? [])
    routes.add(route.url, route.method)
  })
  const limitRequests = createRequestLimits(options.rateLimit ?? { perMinute: 0, clock: systemClock })
  const { clientAddress } = options.clientAddresses ?? directAddresses
  app.decorateRequest('clientAddress', '')
  // All that can be refused by the head of a request is refused here: of its body nothing has been read yet.
  app.addHook('onRequest', async (request, reply) => {
    // Known now, while the connection surely has its address.
    request.clientAddress = clientAddress(request.raw)
    reply.header('x-request-id', request.id)
    refuseNul(request.url)
    if (request.is404) return answerUnrouted(request, reply, routes.methodsAt(request.url))
    const { access } = request.routeOptions.config
    if (access !== 'public') {
      await limitRequests(request, reply, (count) => options.authorize(request, access!, count))
      request.isKnown = true
      options.onSignedIn?.(request, reply)
    }
    expect(request)
    refuseUnread(request)
    if (announcesBody(request.raw)) refuseQuery(request)
    await passOverBody(request)
  })

  addEntityTags(app as never, options.log)
  // A connection that is busy when the closing starts would afterwards stand idle until its time is up.
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (request, reply) => {
    if (closing || !isRead(request)) reply.header('connection', 'close')
  })

  await serveApiDocument(app, options)
  const hidden = { config: { access: 'public', ignoresQuery: true }, schema: { hide: true } }
  app.get('/healthz', hidden, async () => ({ status: 'ok' }))
  app.get('/readyz', hidden, async () => {
    const checking: Promise<unknown> = options.checkReady()
    const details = await checking.catch((cause) => {
      // Anybody may ask, as often as they like: what is about the database is told where errors are answered.
      if (!isUnavailable(cause)) options.log.debug({ err: cause }, 'readiness check failed')
      throw problems.notReady('A dependency of this service is not responding', 2, cause)
    })
    return { status: 'ready', ...(details as object | undefined) }
  })
  return app
}

/** A parameter that a route does not know is refused by name, and nothing is done. */
function isClosed(querystring: unknown): boolean {
  return (querystring as { additionalProperties?: unknown }).additionalProperties === false
}

/** The framework looks at it after it has read the body. */
function refuseQuery(request: FastifyRequest): void {
  const check = request.getValidationFunction('querystring') as unknown as ((query: unknown) => unknown) | undefined
  const { error } = (check?.(request.query) ?? {}) as { error?: Error }
  if (error) throw error
}

/** No route has this method: the address may have others. */
function answerUnrouted(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (methods.length === 0) throw problems.notFound('route')
  if (request.method !== 'OPTIONS') throw problems.methodNotAllowed(request.method, methods)
  return reply.code(204).header('allow', methods.join(', ')).send()
}

/** The framework reports its own doings as news; to us they are none. */
function quiet(log: Log): Log {
  return log.isLevelEnabled('info') ? log.child({}, { level: 'warn' }) : log
}

/** No id and no parameter holds it, and the database refuses it. */
function refuseNul(url: string): void {
  if (!url.includes('%00')) return
  const at = `${url}?`.indexOf('?')
  if (url.slice(0, at).includes('%00')) throw problems.notFound('route')
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (name.includes('\0') || value.includes('\0')) throw problems.query(name, `${name} holds a NUL character`)
  }
}
