import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { integer, sandboxId } from '../argument-parsers.ts'

/** The limit of the schema; the service checks the remaining days. */
const DAYS = { min: 1, max: 36_500 }

export function register(parent: Command, context: Context): void {
  parent
    .command('extend')
    .description('Extend the lifetime of a sandbox; possible twice')
    .argument('<id>', 'id of the sandbox', sandboxId)
    .addOption(
      new Option('--days <n>', 'days to add; it can expire at most 30 days from now')
        .argParser(integer(DAYS))
        .makeOptionMandatory(),
    )
    .action(async (id: string, { days }: { days: number }) => {
      const { sandboxes } = await context.provisioning()
      const record = await sandboxes.extend(id, days)
      const { sandboxSheet } = await import('./sandbox-sheet.ts')
      context.out.answer(record, () => sandboxSheet(context, record))
    })
}
