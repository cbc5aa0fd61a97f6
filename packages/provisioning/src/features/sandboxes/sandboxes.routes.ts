import {
  ConsoleSession,
  ConsoleSessionQuery,
  LIMITS,
  ListOf,
  PageQuery,
  pageOf,
  pathId,
  problems,
  SandboxConnection,
  SandboxCreate,
  SandboxExtend,
  SandboxRecord,
} from '@storey/contract'
import { BY_VERSION, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import type { Caller } from '../../caller.ts'
import { connectSandbox } from './connect-sandbox.ts'
import { createSandbox } from './create-sandbox.ts'
import { deleteSandbox } from './delete-sandbox.ts'
import { extendSandbox } from './extend-sandbox.ts'
import { openConsole } from './open-console.ts'
import { toRecord } from './record.ts'
import { resetSandbox } from './reset-sandbox.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import { findOwn, listSandboxes, type SandboxRow } from './sandboxes.store.ts'

const tags = ['Sandboxes']
const config = { access: 'sandbox' }
const onRecord = { ...config, record: BY_VERSION }
const params = Type.Object({ id: pathId('sandbox') })
const closedQuery = Type.Object({}, { additionalProperties: false })
const record = Type.Ref('Sandbox')
const path = '/api/v1/sandboxes'

export function sandboxRoutes(app: HttpApp, deps: SandboxDeps): void {
  const wire = (row: SandboxRow) => toRecord(row, deps)
  const own = async (id: string, caller: Caller) => {
    const row = await findOwn(deps.control, id, caller.developerId)
    if (!row) throw problems.notFound('sandbox')
    return row
  }
  app.addSchema({ ...SandboxRecord, $id: 'Sandbox' })

  app.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: 'List your sandboxes, newest first',
        description: 'Returns a page of the sandboxes that you own, with their status and expiry.',
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: { 200: ListOf(record) },
      },
    },
    async (request) => {
      const page = pageOf(request.query)
      const { rows, total } = await listSandboxes(deps.control, request.caller.developerId, page)
      return { data: rows.map(wire), total, ...page }
    },
  )

  app.post(
    path,
    {
      config: { ...config, newRecord: BY_VERSION, problems: ['CONFLICT', 'QUOTA_EXCEEDED', 'UNKNOWN_BUILDING_TYPE'] },
      schema: {
        tags,
        summary: 'Create a sandbox',
        description: 'Responds immediately. Poll the record until its status is no longer provisioning.',
        body: SandboxCreate,
        querystring: closedQuery,
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              description:
                'A repeated request with this key and the same body returns the sandbox that the first request created',
            }),
          ),
        }),
        response: { 202: record },
      },
    },
    async (request, reply) => {
      const row = await createSandbox(deps, request.caller, request.body, request.headers['idempotency-key'])
      return reply.code(202).header('location', `${path}/${row.id}`).send(wire(row))
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: onRecord,
      schema: {
        tags,
        summary: 'Read a sandbox',
        description:
          'Returns the sandbox with its status, its addresses and its progress while it is created or reset.',
        params,
        querystring: closedQuery,
        response: { 200: record },
      },
    },
    async (request) => wire(await own(request.params.id, request.caller)),
  )

  app.get(
    `${path}/:id/connection`,
    {
      config: { ...config, problems: ['CONFLICT', 'SANDBOX_SUSPENDED'] },
      schema: {
        tags,
        summary: 'Read the addresses and the administrator token of a sandbox',
        description:
          'Returns what a client needs to call the platform API of the sandbox: its address, its ids and a token with the role of a platform administrator in this sandbox alone.',
        params,
        querystring: closedQuery,
        response: { 200: SandboxConnection },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return await connectSandbox(deps, await own(request.params.id, request.caller))
    },
  )

  app.post(
    `${path}/:id/console-session`,
    {
      config: { ...config, problems: ['CONFLICT', 'SANDBOX_SUSPENDED'] },
      schema: {
        tags,
        summary: 'Create a link that signs you in to the console of a sandbox',
        description:
          'Returns an address that signs a browser in to the console as an administrator. The address can be opened once, within a minute.',
        params,
        querystring: ConsoleSessionQuery,
        response: { 201: ConsoleSession },
      },
    },
    async (request, reply) => {
      const row = await own(request.params.id, request.caller)
      const session = await openConsole(deps, request, row, request.query.path)
      return reply.code(201).header('cache-control', 'no-store').send(session)
    },
  )

  app.post(
    `${path}/:id/extend`,
    {
      config: { ...onRecord, problems: ['EXTENSIONS_EXHAUSTED', 'TTL_TOO_LONG'] },
      schema: {
        tags,
        summary: 'Extend a sandbox',
        description: `Moves the expiry by the given number of days and uses up one extension. The new expiry is at most ${LIMITS.sandbox.ttlDays.max} days from now.`,
        params,
        body: SandboxExtend,
        response: { 200: record },
      },
    },
    async ({ caller, params: { id }, body: { days }, precondition }) =>
      wire(await extendSandbox(deps, caller, id, days, precondition)),
  )

  app.post(
    `${path}/:id/reset`,
    {
      config: { ...onRecord, problems: ['CONFLICT', 'QUOTA_EXCEEDED', 'SANDBOX_SUSPENDED'] },
      schema: {
        tags,
        summary: 'Reset a sandbox',
        description:
          'Removes all data of the sandbox and generates the same building again from its seed. Ids, address and token stay the same. Poll the record until its status is no longer provisioning.',
        params,
        response: { 202: record },
      },
    },
    async (request, reply) => {
      const row = await resetSandbox(deps, request.caller, request.params.id, request.precondition)
      return reply.code(202).header('location', `${path}/${row.id}`).send(wire(row))
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: onRecord,
      schema: {
        tags,
        summary: 'Delete a sandbox and all its data',
        description:
          'Stops the sandbox and drops its database, its accounts and its files. Responds when everything is removed. A 503 with `removing: true` means that the removal takes longer and continues in the background.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deleteSandbox(deps, request.caller, request.params.id, request.precondition)
      return reply.code(204).send(null)
    },
  )
}
