import { AccountEvent, PEOPLE_ROUTES, PersonRecord, problems, SandboxAccount } from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'

const METHODS: Record<keyof typeof PEOPLE_ROUTES, 'GET' | 'POST' | 'PATCH' | 'DELETE'> = {
  people: 'GET',
  list: 'GET',
  create: 'POST',
  audit: 'GET',
  get: 'GET',
  update: 'PATCH',
  resetPassword: 'POST',
  remove: 'DELETE',
}

/**
 * Describes the routes for people. The gateway serves these routes, because a stack has no access to accounts. A
 * request that reaches a stack has bypassed the gateway.
 */
export function describePeopleRoutes(app: HttpApp): void {
  for (const schema of [PersonRecord, SandboxAccount, AccountEvent]) app.addSchema(schema)
  const record = { version: () => '' }
  for (const [name, method] of Object.entries(METHODS)) {
    const { url, config, schema } = PEOPLE_ROUTES[name as keyof typeof PEOPLE_ROUTES]
    const rule = url.includes('/:id') ? { record } : name === 'create' ? { newRecord: record } : {}
    app.route({
      method,
      url,
      config: { ...config, ...rule, grows: false },
      schema,
      handler: async () => {
        throw problems.conflict('host', 'Accounts are managed at the public address of the sandbox')
      },
    })
  }
}
