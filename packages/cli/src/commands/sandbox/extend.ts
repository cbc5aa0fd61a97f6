import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { integer, sandboxId } from '../argument-parsers.ts'

/** The service says what is too much today; this is what its schema takes. */
const DAYS = { min: 1, max: 36_500 }

export function register(parent: Command, context: Context): void {
  parent
    .command('extend')
    .description('Let a sandbox live longer; it can be done twice')
    .argument('<id>', 'the sandbox', sandboxId)
    .addOption(
      new Option('--days <n>', 'added to its expiry, which may lie 30 days ahead at the most')
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
