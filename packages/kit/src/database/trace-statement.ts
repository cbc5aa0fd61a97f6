import pg from 'pg'
import { type Attributes, activeSpan, errorType, type Span, startChild, summaryOf } from '../tracing/index.ts'

/** Fields of the driver that its types lack. */
type Connected = pg.ClientBase & { database?: string; host?: string; port?: number }

const known = new WeakMap<pg.ClientBase, Attributes>()

/**
 * Runs a statement, in a span if it is part of a sampled trace. The span names the tables of the statement, and
 * contains neither the text nor the values of the statement.
 */
export function traceStatement<T>(client: pg.ClientBase, parts: readonly string[], run: () => Promise<T>): Promise<T> {
  const span = startStatement(client, parts)
  return span === undefined ? run() : runTraced(span, run)
}

async function runTraced<T>(span: Span, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (err) {
    failStatement(span, err)
    throw err
  } finally {
    span.end()
  }
}

export function failStatement(span: Span, err: unknown): void {
  if (err instanceof pg.DatabaseError) span.set({ 'db.response.status_code': err.code ?? '' })
  span.fail(errorType(err))
}

export function startStatement(client: pg.ClientBase, parts: readonly string[]): Span | undefined {
  if (activeSpan()?.isRecording() !== true) return undefined
  const { text, operation } = summaryOf(parts)
  const attributes = { ...attributesOf(client), 'db.operation.name': operation, 'db.query.summary': text }
  return startChild({ name: text, kind: 'client', attributes })
}

function attributesOf(client: Connected): Attributes {
  const cached = known.get(client)
  if (cached !== undefined) return cached
  const { database = '', host = '', port = 5432 } = client
  const attributes = {
    'db.system.name': 'postgresql',
    'db.namespace': database,
    'server.address': host,
    'server.port': port,
  }
  known.set(client, attributes)
  return attributes
}
