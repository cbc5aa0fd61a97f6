/** A request of a client, or an operation of an OpenAPI document. */
export interface Operation {
  method: string
  path: string
}

/** The operations of a document, with a pattern for each path. */
export function operationsOf(document: { paths: Record<string, object> }): (Operation & { pattern: RegExp })[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
}

/** A value for any argument: an id in a path, an empty object as a query or a body, and an empty list of ids. */
const anything = { toString: () => 'anything', [Symbol.iterator]: () => [].values() }

/** Calls each method of a client once, and returns the requests that were sent. */
export async function requestsOf(create: (fetch: never) => object): Promise<Operation[]> {
  const sent: Operation[] = []
  const texts = {
    sandboxId: '',
    keyId: '',
    apiUrl: '',
    token: '',
    organizationId: '',
    buildingId: '',
    status: 'ready',
    url: '',
    expiresAt: '',
    id: '',
    email: '',
    oneTimePassword: '',
  }
  const answer = { data: [], total: 0, nextBefore: null, nextFrom: null, ...texts }
  const fetch = async (url: string, { method }: { method: string }) => {
    sent.push({ method, path: new URL(url).pathname })
    return Response.json(answer)
  }
  const visit = async (client: object): Promise<void> => {
    for (const member of Object.values(client)) {
      const result = typeof member === 'function' ? member(...Array(4).fill(anything)) : member
      if (result instanceof Promise) await result
      else if (result && Symbol.asyncIterator in Object(result)) for await (const _row of result);
      else if (typeof result === 'object' && result !== null) await visit(result)
    }
  }
  await visit(create(fetch as never))
  return sent
}

export const named = ({ method, path }: Operation): string => `${method} ${path}`

/** An exact path takes precedence: /keys/audit is not the key "audit". */
export function find<T extends Operation & { pattern: RegExp }>(operations: readonly T[], { method, path }: Operation) {
  const fitting = operations.filter((each) => each.method === method && each.pattern.test(path))
  return fitting.find((each) => each.path === path) ?? fitting[0]
}
