import {
  type AccountAction,
  AccountCreate,
  AccountRecord,
  ListOf,
  NewAccountRecord,
  NewServiceAccountRecord,
  NoQuery,
  PageQuery,
  pageOf,
  pathId,
  problems,
  ServiceAccountCreate,
  ServiceAccountRecord,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { digestVersion, type HttpApp } from '@storey/kit/http'
import Type, { type TObject } from 'typebox'
import type { Caller } from '../../caller.ts'
import type { AccountNotices } from './account-notices.ts'
import type { Directory, Members } from './directory.ts'
import { keepSandbox } from './keep-sandbox.ts'
import { recordAccountChange } from './record-account-change.ts'

export interface AccountDeps {
  /** Absent with an external identity provider that Storey may not administer. */
  directory: Directory | undefined
  clock: Clock
  /** The tenant of a sandbox. Throws NOT_FOUND if the caller does not own the sandbox. */
  tenantOf(sandboxId: string, caller: Caller): Promise<string>
  /** Called after a change. `revoked` is the id of a removed account, which is also the subject of its tokens. */
  onChanged: AccountNotices['changed']
}

/** Every route answers CONFLICT with an external identity provider that Storey may not administer. */
const config = { access: 'sandbox', problems: ['CONFLICT'] } as const
/** Only the roles of an account can change, so its version is a digest of its id and roles. */
const BY_ROLES = {
  version: ({ id, roles }: { id: string; roles: readonly string[] }) => digestVersion(id, [...roles].sort()),
}
const onRecord = { ...config, record: BY_ROLES }
const params = Type.Object({ id: pathId('sandbox') })

export function accountRoutes(app: HttpApp, deps: AccountDeps): void {
  app.addSchema(AccountRecord)
  app.addSchema(ServiceAccountRecord)
  memberRoutes(app, deps, {
    path: 'accounts',
    noun: 'account',
    secret: 'one-time password',
    article: 'an',
    tag: 'Accounts of a sandbox',
    schemas: { create: AccountCreate, created: NewAccountRecord, ref: 'Account' },
    members: (directory) => directory.accounts,
    isAudited: true,
  })
  memberRoutes(app, deps, {
    path: 'service-accounts',
    noun: 'service account',
    secret: 'client secret',
    article: 'a',
    tag: 'Service accounts of a sandbox',
    schemas: { create: ServiceAccountCreate, created: NewServiceAccountRecord, ref: 'ServiceAccount' },
    members: (directory) => directory.serviceAccounts,
    isAudited: false,
  })
}

interface Recorded {
  caller: Caller
  params: { id: string }
  clientAddress: string
  headers: { 'user-agent'?: string | undefined }
}

interface MemberKind<Create, Record extends { id: string; roles: string[] }, New extends object> {
  path: string
  noun: string
  /** The noun for the secret that only the response to the creation contains. */
  secret: string
  article: string
  tag: string
  schemas: { create: TObject; created: TObject; ref: string }
  members(directory: Directory): Members<Create, Record, New>
  /** Whether changes are recorded in the audit log of the sandbox. */
  isAudited: boolean
}

/** Accounts and service accounts have the same routes. */
function memberRoutes<Create, Record extends { id: string; roles: string[] }, New extends object>(
  app: HttpApp,
  deps: AccountDeps,
  kind: MemberKind<Create, Record, New>,
): void {
  const path = `/api/v1/sandboxes/:id/${kind.path}`
  const tags = [kind.tag]
  const named = `${kind.article} ${kind.noun}`
  const memberParams = Type.Object({ id: pathId('sandbox'), memberId: pathId(kind.noun) })
  const { create, created, ref } = kind.schemas
  const members = (): Members<Create, Record, New> => {
    if (deps.directory) return kind.members(deps.directory)
    throw problems.conflict(
      'sandboxesIssuer',
      `The external identity provider of this installation manages ${kind.noun}s`,
    )
  }

  const recordOf = (request: Recorded, tenantId: string, action: AccountAction) => {
    const { caller, params } = request
    const origin = { sandbox: { id: params.id, tenantId }, actor: caller.actor, request }
    return kind.isAudited ? recordAccountChange(deps.clock, action, origin) : undefined
  }

  app.post(
    path,
    {
      config: { ...config, newRecord: BY_ROLES, problems: ['CONFLICT', 'QUOTA_EXCEEDED'] },
      schema: {
        tags,
        summary: `Create ${named}`,
        description: `Adds ${named} that can sign in to this sandbox only. Only this response contains its ${kind.secret}.`,
        params,
        body: create,
        response: { 201: created },
      },
    },
    async (request, reply) => {
      const tenantId = await deps.tenantOf(request.params.id, request.caller)
      const audit = recordOf(request, tenantId, 'account.created')
      const record = await members().create(tenantId, request.body as Create, audit, (tx) =>
        keepSandbox(tx, request.params.id),
      )
      // Only this response has the secret of the account, so it does not wait for the stack.
      void deps.onChanged(request.params.id)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(record as { [field: string]: unknown })
    },
  )

  app.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: `List ${kind.noun}s`,
        description: `Returns a page of the ${kind.noun}s of the sandbox, without their ${kind.secret}s.`,
        params,
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: { 200: ListOf(Type.Ref(ref)) },
      },
    },
    async (request) => {
      const page = pageOf(request.query)
      const all = await members().list(await deps.tenantOf(request.params.id, request.caller))
      return { data: all.slice(page.offset, page.offset + page.limit), total: all.length, ...page }
    },
  )

  app.get(
    `${path}/:memberId`,
    {
      config: onRecord,
      schema: {
        tags,
        summary: `Read ${named}`,
        description: `Returns the ${kind.noun} with its roles.`,
        params: memberParams,
        querystring: NoQuery,
        response: { 200: Type.Ref(ref) },
      },
    },
    async (request) => {
      const tenantId = await deps.tenantOf(request.params.id, request.caller)
      const member = await members().find(tenantId, request.params.memberId)
      if (!member) throw problems.notFound(kind.noun)
      return member
    },
  )

  app.delete(
    `${path}/:memberId`,
    {
      config: onRecord,
      schema: {
        tags,
        summary: `Delete ${named}`,
        description: `Removes the ${kind.noun}. Its tokens are refused from then on.`,
        params: memberParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const tenantId = await deps.tenantOf(request.params.id, request.caller)
      const { id, memberId } = request.params
      const member = await members().find(tenantId, memberId)
      if (!member) throw problems.notFound(kind.noun)
      request.precondition.check(BY_ROLES.version(member))
      const audit = recordOf(request, tenantId, 'account.removed')
      if (!(await members().remove(tenantId, memberId, audit))) throw problems.notFound(kind.noun)
      await deps.onChanged(id, memberId)
      return reply.code(204).send(null)
    },
  )
}
