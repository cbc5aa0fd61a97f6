import { listOperations, operatorAudit } from '@storey/provisioning/operator'
import { UsageError, wholeNumber } from './arguments.ts'
import type { Command } from './command.ts'
import { lines } from './lines.ts'

const MAX_ROWS = 500

const audit: Command = {
  options: ['org', 'operator', 'limit'],
  async run({ control }, { options }) {
    const limit = wholeNumber('--limit', options.limit ?? '100', 1, MAX_ROWS)
    if (options.operator) {
      if (options.org !== undefined) throw new UsageError('give either --org or --operator')
      const rows = await listOperations(control, limit)
      const text = lines(rows, (row) => [
        row.at.toISOString(),
        row.operator,
        row.command,
        row.subject,
        JSON.stringify(row.details),
      ])
      return { text, json: rows }
    }
    const { data } = await operatorAudit(control, options.org ?? null, { limit })
    const text = lines(data, (row) => [
      ...[row.at, row.action, row.outcome, row.reason, row.keyId, row.actor, row.route, row.sourceIp, row.count],
    ])
    return { text, json: data }
  },
}

export const AUDIT_COMMANDS: Record<string, Command> = { audit }
