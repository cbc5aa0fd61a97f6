import { KeyMint, KeyRecord, ListOf, MintedKey, NoQuery, PageQuery, pageOf, pathId, problems } from '@storey/contract'
import { BY_VERSION, type HttpApp, withVersion } from '@storey/kit/http'
import Type from 'typebox'
import { auditedRequest } from '../../key-events.ts'
import { listKeys } from './keys.store.ts'
import { type KeyDeps, mintKey } from './mint-key.ts'
import { toMinted, toRecord } from './record.ts'
import { revokeKey, versionOfKey } from './revoke-key.ts'
import type { Access } from './scopes.ts'

const tags = ['Keys']
const path = '/api/v1/keys'
const needs = (access: Access) => ({ access })

export function keyRoutes(app: HttpApp, deps: KeyDeps): void {
  const { control, clock } = deps
  app.addSchema({ ...KeyRecord, $id: 'Key' })
  app.addSchema({ ...MintedKey, $id: 'MintedKey' })

  app.post(
    path,
    {
      config: { ...needs('keys:mint'), newRecord: BY_VERSION, problems: ['QUOTA_EXCEEDED'] },
      schema: {
        tags,
        summary: 'Create a key',
        description: 'Requires a portal session. Only this response contains the text of the key.',
        body: KeyMint,
        querystring: NoQuery,
        response: { 201: Type.Ref('MintedKey') },
      },
    },
    async (request, reply) => {
      const { key, plaintext } = await mintKey(deps, request.caller, request.body, auditedRequest(request))
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(withVersion(toMinted(key, plaintext, clock.now()), versionOfKey(key)))
    },
  )

  app.get(
    path,
    {
      config: needs('keys:list'),
      schema: {
        tags,
        summary: 'List the keys of your organization, newest first',
        description: 'Requires a portal session or a key of full scope.',
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: { 200: ListOf(Type.Ref('Key')) },
      },
    },
    async ({ caller, query }) => {
      const page = pageOf(query)
      const { rows, total } = await listKeys(control, caller.organizationId, page)
      const now = clock.now()
      return { data: rows.map((row) => toRecord(row, now)), total, ...page }
    },
  )

  app.delete(
    `${path}/:keyId`,
    {
      config: { ...needs('keys:revoke'), record: BY_VERSION },
      schema: {
        tags,
        summary: 'Revoke a key',
        description:
          'Requires a portal session or a key of full scope. The revoked key is refused from the next request on.',
        params: Type.Object({ keyId: pathId('key') }),
        querystring: NoQuery,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const [field] = Object.keys(request.body ?? {})
      if (field !== undefined) throw problems.field(field, `${field} is not a known field: this call accepts no body`)
      await revokeKey(deps, request.caller, request.params.keyId, auditedRequest(request), request.precondition)
      return reply.code(204).send(null)
    },
  )
}
