import { AuditQuery, AuditRecord, Nullable } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { listAudit } from './list-audit.ts'

export function auditRoutes(app: HttpApp, { control }: { control: Queryable }): void {
  app.addSchema({ ...AuditRecord, $id: 'AuditRecord' })

  app.get(
    '/api/v1/keys/audit',
    {
      config: { access: 'keys:audit' },
      schema: {
        tags: ['Keys'],
        summary: 'List the audit log of the keys of your organization, newest first',
        description: `Requires a portal session. A use appears within a second, an issuance or revocation immediately. Repeated
denials are counted: the first appears within a second, and its repetitions in the next minute become one row with their count.`,
        querystring: AuditQuery,
        response: {
          200: Type.Object({ data: Type.Array(Type.Ref('AuditRecord')), nextBefore: Nullable(Type.Integer()) }),
        },
      },
    },
    async ({ caller, query }) => await listAudit(control, caller.organizationId, query),
  )
}
