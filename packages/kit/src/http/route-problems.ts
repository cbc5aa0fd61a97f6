import { PROBLEMS, type ProblemCode } from '@storey/contract'
import type { RouteOptions } from 'fastify'

type Route = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>

/** Problems of every route: invalid parameters, an internal error, or an unavailable dependency. */
const ALWAYS: ProblemCode[] = ['VALIDATION_FAILED', 'INTERNAL', 'NOT_READY']
/**
 * Problems of a body that arrives too late, is too large or has a wrong type. Routes that accept no body have them too,
 * unless they only read.
 */
const BODY_PROBLEMS: ProblemCode[] = ['REQUEST_TIMEOUT', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/**
 * Every problem of a route: those that follow from its access, parameters and body, those that the application adds,
 * and those that the route lists itself.
 */
export function problemsOf(route: Route, ofApp: (route: Route) => readonly ProblemCode[]): ReadonlySet<ProblemCode> {
  const { schema, config, url } = route
  const codes = new Set(ALWAYS)
  const add = (...more: ProblemCode[]) => {
    for (const code of more) codes.add(code)
  }
  if (config?.access !== 'public') add('UNAUTHENTICATED', 'RATE_LIMITED')
  if (url.includes('/:')) add('NOT_FOUND')
  const query = schema?.querystring as { properties?: object } | undefined
  if (query?.properties && 'limit' in query.properties) add('LIMIT_TOO_LARGE')
  if (!isRead(route)) add(...BODY_PROBLEMS)
  if (!isRead(route) && config?.record) add('PRECONDITION_FAILED')
  add(...ofApp(route), ...(config?.problems ?? []))
  return codes
}

/**
 * True for documented problems and for the problems of a body. A GET route does not document the problems of a body,
 * because a GET request with a body is unusual.
 */
export function isExpected(code: ProblemCode, declared: ReadonlySet<ProblemCode>): boolean {
  return declared.has(code) || BODY_PROBLEMS.includes(code)
}

const isRead = ({ method }: Route) => [method].flat().every((name) => name === 'GET' || name === 'HEAD')

/** Groups problems by their status, in ascending order. */
export function byStatus(codes: ReadonlySet<ProblemCode>): [status: number, codes: ProblemCode[]][] {
  const groups = Map.groupBy([...codes].sort(), (code) => PROBLEMS[code][0] as number)
  return [...groups].sort(([a], [b]) => a - b)
}
