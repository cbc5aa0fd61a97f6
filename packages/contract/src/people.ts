import Type, { type Static } from 'typebox'
import { AccountCreate, AccountRecord } from './accounts.ts'
import { closed } from './closed.ts'
import { pathId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable, PageQuery, pageLimit } from './lists.ts'
import type { Permission } from './permissions.ts'
import type { ProblemCode } from './problems.ts'
import { Timestamp } from './timestamps.ts'

/** Somebody who can sign in to the sandbox, as every caller of the sandbox sees them. */
export const PersonRecord = Type.Object(
  { id: Type.String({ description: 'The subject (`sub`) of the tokens of this person' }), email: Type.String() },
  { $id: 'Person' },
)
export type PersonRecord = Static<typeof PersonRecord>

/** An account of the sandbox, as its administrators see it. */
export const SandboxAccount = Type.Object(
  {
    ...AccountRecord.properties,
    hasOneTimePassword: Type.Boolean({ description: 'Whether the next sign-in with a password asks for a new one' }),
    isOwner: Type.Boolean({
      description:
        'Whether this is the account of the owner of the sandbox, who signs in with a link. ' +
        'Other administrators cannot change this account',
    }),
    createdAt: Timestamp,
  },
  { $id: 'SandboxAccount' },
)
export type SandboxAccount = Static<typeof SandboxAccount>

export const NewSandboxAccount = Type.Object({
  ...SandboxAccount.properties,
  oneTimePassword: Type.String({
    description: 'The person must replace it at the next sign-in. Shown only in this response',
  }),
})
export type NewSandboxAccount = Static<typeof NewSandboxAccount>

export const SandboxAccountPatch = Type.Object({ roles: AccountCreate.properties.roles }, closed)
export type SandboxAccountPatch = Static<typeof SandboxAccountPatch>

export const ACCOUNT_ACTIONS = [
  'account.created',
  'account.roles_changed',
  'account.password_reset',
  'account.removed',
] as const
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number]

const RoleNames = Nullable(Type.Array(Type.String()))

export const AccountEvent = Type.Object(
  {
    id: Type.Integer({ description: 'The id of the row; later rows have larger ids' }),
    at: Timestamp,
    action: Type.Enum([...ACCOUNT_ACTIONS]),
    actor: Type.String({
      description:
        "Who did it: the email address of the account or the developer, the id of the developer's key or of the " +
        'service account, or `sandbox` for the token of the sandbox',
    }),
    accountId: Type.String(),
    email: Type.String({ description: 'The email address of the account that was changed' }),
    rolesBefore: RoleNames,
    rolesAfter: RoleNames,
    sourceIp: Nullable(Type.String()),
  },
  { $id: 'AccountEvent' },
)
export type AccountEvent = Static<typeof AccountEvent>

export const AccountAuditQuery = Type.Object(
  {
    limit: pageLimit(LIMITS.audit.page),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Returns the rows that are older than the row with this id',
      }),
    ),
  },
  closed,
)
export type AccountAuditQuery = Static<typeof AccountAuditQuery>

const List = Type.Object(PageQuery, closed)
const Member = Type.Object({ id: pathId('account') })
const READ = { access: 'platform.people:read' satisfies Permission, problems: ['CONFLICT'] as ProblemCode[] }
const WRITE = { access: 'platform.people:write' satisfies Permission, problems: ['CONFLICT'] as ProblemCode[] }
const NEW = { ...WRITE, problems: ['CONFLICT', 'QUOTA_EXCEEDED'] as ProblemCode[] }
const tags = ['People']

/**
 * The routes that the control plane serves at the address of a sandbox, because the control plane manages the accounts.
 * These routes are described in the API document of the sandbox.
 */
export const PEOPLE_ROUTES = {
  people: {
    url: '/api/v1/people',
    config: READ,
    schema: {
      tags,
      summary: 'List people',
      description:
        'Returns a page of the people who can sign in to the sandbox, for example to assign a request to one of them.',
      querystring: List,
      response: { 200: ListOf(Type.Ref('Person')) },
    },
  },
  list: {
    url: '/api/v1/accounts',
    config: WRITE,
    schema: {
      tags,
      summary: 'List accounts',
      description: 'Returns a page of the accounts of the sandbox with their roles.',
      querystring: List,
      response: { 200: ListOf(Type.Ref('SandboxAccount')) },
    },
  },
  create: {
    url: '/api/v1/accounts',
    config: NEW,
    schema: {
      tags,
      summary: 'Create an account',
      description:
        'Adds an account that can sign in to this sandbox only. Only this response contains its one-time password.',
      body: AccountCreate,
      response: { 201: NewSandboxAccount },
    },
  },
  audit: {
    url: '/api/v1/accounts/audit',
    config: WRITE,
    schema: {
      tags,
      summary: 'List changes of accounts, newest first',
      description: 'Returns who created, changed and removed accounts of the sandbox.',
      querystring: AccountAuditQuery,
      response: {
        200: Type.Object({ data: Type.Array(Type.Ref('AccountEvent')), nextBefore: Nullable(Type.Integer()) }),
      },
    },
  },
  get: {
    url: '/api/v1/accounts/:id',
    config: WRITE,
    schema: {
      tags,
      summary: 'Read an account',
      description: 'Returns the account with its roles.',
      params: Member,
      response: { 200: Type.Ref('SandboxAccount') },
    },
  },
  update: {
    url: '/api/v1/accounts/:id',
    config: WRITE,
    schema: {
      tags,
      summary: 'Change the roles of an account',
      description:
        'Replaces the roles. Earlier tokens of the account are refused from then on. Nobody can change their own ' +
        'roles, and the last administrator cannot lose the role admin.',
      params: Member,
      body: SandboxAccountPatch,
      response: { 200: Type.Ref('SandboxAccount') },
    },
  },
  resetPassword: {
    url: '/api/v1/accounts/:id/reset-password',
    config: WRITE,
    schema: {
      tags,
      summary: 'Reset the password of an account',
      description:
        'Replaces the password by a one-time password, which only this response contains, and ends all sessions of ' +
        'the account. Nobody can reset their own password.',
      params: Member,
      response: { 200: NewSandboxAccount },
    },
  },
  remove: {
    url: '/api/v1/accounts/:id',
    config: WRITE,
    schema: {
      tags,
      summary: 'Remove an account',
      description:
        'Removes the account. Its tokens are refused from then on. Nobody can remove their own account, and the last ' +
        'administrator cannot be removed.',
      params: Member,
      response: { 204: Type.Null() },
    },
  },
} as const

/** Whether the control plane, and not the stack, answers this request to the address of a sandbox. */
export const isPeoplePath = (url: string): boolean => /^\/api\/v1\/(?:people|accounts)(?=[/?]|$)/.test(url)
