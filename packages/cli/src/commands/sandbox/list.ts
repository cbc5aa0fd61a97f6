import type { List, SandboxesApi, SandboxRecord } from '@storey/sdk'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { alignedTable, plainTable } from '../../output/table.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('list')
    .description('List your sandboxes, newest first')
    .action(async () => {
      const { sandboxes } = await context.provisioning()
      const envelope = await everySandbox(sandboxes)
      const { data } = envelope
      const { out } = context
      const format = await import('./describe-sandbox.ts')
      out.answer(envelope, () => tableOf(context, data, format))
      if (data.length === 0) out.hint('No sandboxes yet. Create one with `svc sandbox create`.')
    })
}

/** The service's list response, with all pages combined. */
async function everySandbox(sandboxes: SandboxesApi): Promise<List<SandboxRecord>> {
  const first = await sandboxes.list()
  if (first.data.length >= first.total) return first
  const data: SandboxRecord[] = []
  for await (const row of sandboxes.listAll()) data.push(row)
  return { data, total: data.length, limit: data.length, offset: 0 }
}

type Format = typeof import('./describe-sandbox.ts')

/** An aligned table with a header on a terminal; tabs and full timestamps in a pipe. */
function tableOf({ out, clock }: Context, data: readonly SandboxRecord[], format: Format): string {
  const { shapeOf, statusOf, untilOf } = format
  if (!out.isTerminal) {
    return plainTable(
      data.map((row) => [row.sandboxId, row.name, statusOf(row), row.buildingType, row.expiresAt, row.apiUrl]),
    ).join('\n')
  }
  if (data.length === 0) return ''
  const rows = data.map((row) => {
    const status = statusOf(row)
    const shown = status === 'provisioning' ? `${status} ${row.progress?.percent ?? 0} %` : status
    return [row.sandboxId, row.name, shown, shapeOf(row), untilOf(row.expiresAt, clock.now()), row.apiUrl]
  })
  const [head = '', ...lines] = alignedTable(['ID', 'NAME', 'STATUS', 'BUILDING', 'EXPIRES', 'ADDRESS'], rows)
  return [out.paint('dim', head), ...lines].join('\n')
}
