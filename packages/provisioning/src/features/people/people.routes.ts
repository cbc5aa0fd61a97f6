import {
  type AccountAction,
  AccountEvent,
  LIMITS,
  PEOPLE_ROUTES,
  PersonRecord,
  pageOf,
  problems,
  SandboxAccount,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { createRateLimiter, digestVersion, type HttpApp, type Precondition } from '@storey/kit/http'
import {
  type AccountNotices,
  type ChangeRules,
  type Directory,
  listAccountEvents,
  type People,
  recordAccountChange,
} from '../accounts/index.ts'
import type { PeopleCaller } from './people-caller.ts'

export interface PeopleDeps {
  control: Database
  clock: Clock
  /** Absent with an external identity provider that Storey may not administer. */
  directory: Directory | undefined
  callerOf(request: { raw: object }): PeopleCaller
  /** Called after a change. `revoked` is the id of an account whose earlier tokens are refused from now on. */
  onChanged: AccountNotices['changed']
}

/** The maximum number of new passwords a minute for each sandbox. Hashing one takes 60 ms of CPU time. */
const PASSWORDS_PER_MINUTE = 30

const BY_STATE = {
  version: ({ id, roles, hasOneTimePassword }: SandboxAccount) =>
    digestVersion(id, [...roles].sort(), hasOneTimePassword),
}

interface Request {
  raw: object
  clientAddress: string
  precondition: Precondition
  headers: { 'user-agent'?: string | undefined }
}

/**
 * The accounts of a sandbox, for callers who are signed in to this sandbox. Administrators can change accounts. All
 * signed-in callers can read the email addresses.
 */
export function peopleRoutes(app: HttpApp, deps: PeopleDeps): void {
  const { control, clock, callerOf } = deps
  const passwordLimit = createRateLimiter({ perMinute: PASSWORDS_PER_MINUTE, clock })
  for (const schema of [PersonRecord, SandboxAccount, AccountEvent]) app.addSchema(schema)

  const people = (): People => {
    if (deps.directory) return deps.directory.people
    throw problems.conflict('sandboxesIssuer', 'The external identity provider of this installation manages accounts')
  }

  function limitPasswords(tenantId: string): void {
    const { allowed, resetSeconds } = passwordLimit.take(tenantId)
    if (!allowed) throw problems.rateLimited(resetSeconds)
  }

  function rulesOf(request: Request, action: AccountAction): ChangeRules & { isChanged: boolean } {
    const write = recordAccountChange(clock, action, { ...callerOf(request), request })
    const rules: ReturnType<typeof rulesOf> = {
      isChanged: false,
      check: (account) => request.precondition.check(BY_STATE.version(account)),
      record: async (tx, change) => {
        await write(tx, change)
        rules.isChanged = true
      },
    }
    return rules
  }

  /** Nobody can change their own account: they could lock themselves out, and a new password would end the session. */
  function refuseOwn(request: Request, id: string): void {
    if (callerOf(request).id === id)
      throw problems.conflict('id', 'This is your own account: another administrator must do this')
  }

  app.get(PEOPLE_ROUTES.people.url, PEOPLE_ROUTES.people, async (request) => {
    const page = pageOf(request.query)
    const all = await people().list(callerOf(request).sandbox.tenantId)
    const data = all.slice(page.offset, page.offset + page.limit).map(({ id, email }) => ({ id, email }))
    return { data, total: all.length, ...page }
  })

  app.get(PEOPLE_ROUTES.list.url, PEOPLE_ROUTES.list, async (request) => {
    const page = pageOf(request.query)
    const all = await people().list(callerOf(request).sandbox.tenantId)
    return { data: all.slice(page.offset, page.offset + page.limit), total: all.length, ...page }
  })

  const { create, get, update, resetPassword, remove, audit } = PEOPLE_ROUTES
  app.post(create.url, { ...create, config: { ...create.config, newRecord: BY_STATE } }, async (request, reply) => {
    const { sandbox } = callerOf(request)
    limitPasswords(sandbox.tenantId)
    const account = await people().create(sandbox.tenantId, request.body, rulesOf(request, 'account.created'))
    // Only this response has the one-time password, so it does not wait for the stack.
    void deps.onChanged(sandbox.id)
    return reply.code(201).header('cache-control', 'no-store').send(account)
  })

  app.get(audit.url, audit, async (request) => {
    people()
    const { limit: requested, ...filter } = request.query
    const { limit } = pageOf(requested === undefined ? {} : { limit: requested }, LIMITS.audit.page)
    const rows = await listAccountEvents(control, callerOf(request).sandbox.tenantId, filter, limit + 1)
    return { data: rows.slice(0, limit), nextBefore: rows.length > limit ? rows[limit - 1]!.id : null }
  })

  app.get(get.url, { ...get, config: { ...get.config, record: BY_STATE } }, async (request) => {
    const account = await people().find(callerOf(request).sandbox.tenantId, request.params.id)
    if (!account) throw problems.notFound('account')
    return account
  })

  app.patch(update.url, { ...update, config: { ...update.config, record: BY_STATE } }, async (request) => {
    const { id } = request.params
    const { sandbox } = callerOf(request)
    const all = people()
    refuseOwn(request, id)
    const rules = rulesOf(request, 'account.roles_changed')
    const account = await all.setRoles(sandbox.tenantId, id, request.body.roles, rules)
    if (rules.isChanged) await deps.onChanged(sandbox.id, id)
    return account
  })

  app.post(
    resetPassword.url,
    { ...resetPassword, config: { ...resetPassword.config, record: BY_STATE } },
    async (request, reply) => {
      const { id } = request.params
      const { sandbox } = callerOf(request)
      const all = people()
      refuseOwn(request, id)
      limitPasswords(sandbox.tenantId)
      const account = await all.resetPassword(sandbox.tenantId, id, rulesOf(request, 'account.password_reset'))
      await deps.onChanged(sandbox.id, id)
      return reply.header('cache-control', 'no-store').send(account)
    },
  )

  app.delete(remove.url, { ...remove, config: { ...remove.config, record: BY_STATE } }, async (request, reply) => {
    const { id } = request.params
    const { sandbox } = callerOf(request)
    const all = people()
    refuseOwn(request, id)
    await all.remove(sandbox.tenantId, id, rulesOf(request, 'account.removed'))
    await deps.onChanged(sandbox.id, id)
    return reply.code(204).send(null)
  })
}
