import {
  ListOf,
  PageQuery,
  pageOf,
  problems,
  SandboxConnection,
  SandboxCreate,
  SandboxExtend,
  SandboxRecord,
} from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import type { Caller } from '../../caller.ts'
import { connectSandbox } from './connect-sandbox.ts'
import { createSandbox } from './create-sandbox.ts'
import { deleteSandbox } from './delete-sandbox.ts'
import { extendSandbox } from './extend-sandbox.ts'
import { toRecord } from './record.ts'
import { resetSandbox } from './reset-sandbox.ts'
import { findOwn, listSandboxes, type SandboxRow } from './sandboxes.store.ts'
import type { SandboxDeps } from './sandboxes.ts'

const tags = ['Sandboxes']
const config = { access: 'sandbox' }
const params = Type.Object({ id: Type.String() })
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
      config,
      schema: {
        tags,
        summary: 'Create a sandbox',
        description: 'Answers at once; poll the record until its status leaves provisioning.',
        body: SandboxCreate,
        querystring: closedQuery,
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              description: 'A repeat with the same key returns the first record',
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
      config,
      schema: { tags, summary: 'Read a sandbox', params, querystring: closedQuery, response: { 200: record } },
    },
    async (request) => wire(await own(request.params.id, request.caller)),
  )

  app.get(
    `${path}/:id/connection`,
    {
      config,
      schema: {
        tags,
        summary: 'Addresses and the administrator token of a sandbox',
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
    `${path}/:id/extend`,
    {
      config,
      schema: { tags, summary: 'Let a sandbox live longer', params, body: SandboxExtend, response: { 200: record } },
    },
    async (request) => wire(await extendSandbox(deps, request.caller, request.params.id, request.body.days)),
  )

  app.post(
    `${path}/:id/reset`,
    { config, schema: { tags, summary: 'Wipe a sandbox and seed it anew', params, response: { 202: record } } },
    async (request, reply) => {
      const row = await resetSandbox(deps, request.caller, request.params.id)
      return reply.code(202).header('location', `${path}/${row.id}`).send(wire(row))
    },
  )

  app.delete(
    `${path}/:id`,
    { config, schema: { tags, summary: 'Delete a sandbox and all it holds', params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await deleteSandbox(deps, request.caller, request.params.id)
      return reply.code(204).send(null)
    },
  )
}
