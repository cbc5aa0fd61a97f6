import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPeoplePath } from '@storey/contract'
import { createHttp, type HttpOptions } from '@storey/kit/http'
import { type PeopleDeps, peopleRoutes } from './people.routes.ts'
import { createPeopleAuthorization, type PeopleCaller, type PeopleSandbox, type PeopleTrust } from './people-caller.ts'

export interface PeopleHttpOptions {
  http: Pick<HttpOptions, 'log' | 'rateLimit' | 'onSignedIn' | 'clientAddresses'>
  trust: Omit<PeopleTrust, 'sandboxOf' | 'onCaller'>
  routes: Omit<PeopleDeps, 'callerOf'>
}

export interface PeopleHttp {
  /** Whether a request to the address of a sandbox is for these routes. */
  serves(request: IncomingMessage): boolean
  handle(request: IncomingMessage, response: ServerResponse, sandbox: PeopleSandbox): void
  close(): Promise<void>
}

/**
 * The routes `/api/v1/people` and `/api/v1/accounts` at the address of each sandbox. A separate Fastify application
 * serves them and refuses credentials of the control plane. The control plane in turn refuses tokens of a sandbox.
 */
export async function createPeopleHttp({ http, trust, routes }: PeopleHttpOptions): Promise<PeopleHttp> {
  const sandboxes = new WeakMap<object, PeopleSandbox>()
  const callers = new WeakMap<object, PeopleCaller>()
  const app = await createHttp({
    ...http,
    title: 'People of a sandbox',
    description: 'The accounts of a sandbox.',
    problemsOf: () => ['PERMISSION_DENIED'],
    checkReady: async () => undefined,
    callerOf: ({ raw }) => observedCaller(required(callers.get(raw))),
    authorize: createPeopleAuthorization({
      ...trust,
      sandboxOf: (request) => required(sandboxes.get(request)),
      onCaller: (request, caller) => void callers.set(request, caller),
    }),
  })
  peopleRoutes(app, { ...routes, callerOf: ({ raw }) => required(callers.get(raw)) })
  await app.ready()
  return {
    serves: ({ url = '' }) => isPeoplePath(url),
    handle(request, response, sandbox) {
      sandboxes.set(request, { id: sandbox.id, tenantId: sandbox.tenantId })
      app.routing(request, response)
    },
    close: () => app.close(),
  }
}

/** The token of the sandbox itself has no account. */
const observedCaller = ({ id, sandbox }: PeopleCaller) =>
  id === null ? { kind: 'sandbox', id: sandbox.id } : { kind: 'account', id }

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a request for people came without its sandbox or caller')
  return value
}
