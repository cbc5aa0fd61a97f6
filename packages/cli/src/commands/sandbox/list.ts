import type { SandboxRecord } from '@storey/sdk'
import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { alignedTable, plainTable } from '../../output/table.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('list')
    .description('List your sandboxes, newest first')
    .action(async () => {
      const { sandboxes } = await context.provisioning()
      const data: SandboxRecord[] = []
      for await (const row of sandboxes.listAll()) data.push(row)
      const { out } = context
      // The usual envelope, of one page that holds everything.
      const envelope = { data, total: data.length, limit: Math.max(data.length, 1), offset: 0 }
      const sheet = await import('./sandbox-sheet.ts')
      out.answer(envelope, () => tableOf(context, data, sheet))
      if (data.length === 0) out.hint('You have no sandbox: make one with `svc sandbox create`.')
    })
}

type Sheet = typeof import('./sandbox-sheet.ts')

/** Aligned with a head on a terminal; tabs and full instants in a pipe. */
function tableOf({ out, clock }: Context, data: readonly SandboxRecord[], { shapeOf, untilOf }: Sheet): string {
  if (!out.isTerminal) {
    return plainTable(
      data.map((row) => [row.sandboxId, row.name, row.status, row.buildingType, row.expiresAt, row.apiUrl]),
    ).join('\n')
  }
  if (data.length === 0) return ''
  const rows = data.map((row) => {
    const status = row.status === 'provisioning' ? `${row.status} ${row.progress.percent} %` : row.status
    return [row.sandboxId, row.name, status, shapeOf(row), untilOf(row.expiresAt, clock.now()), row.apiUrl]
  })
  const [head = '', ...lines] = alignedTable(['ID', 'NAME', 'STATUS', 'BUILDING', 'EXPIRES', 'ADDRESS'], rows)
  return [out.paint('dim', head), ...lines].join('\n')
}
