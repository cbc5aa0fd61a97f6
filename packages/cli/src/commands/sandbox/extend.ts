import { LIMITS } from '@storey/contract'
import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CURRENT_SANDBOX, integer, sandboxReference } from '../argument-parsers.ts'

/** The limits of the API's schema. The service also limits how far in the future the sandbox expires. */
const DAYS = { min: 1, max: 36_500 }

export function register(parent: Command, context: Context): void {
  parent
    .command('extend')
    .description('Extend the lifetime of a sandbox, at most twice')
    .argument('[sandbox]', CURRENT_SANDBOX, sandboxReference)
    .addOption(
      new Option('--days <n>', `days to add; a sandbox can expire at most ${LIMITS.sandbox.ttlDays.max} days from now`)
        .argParser(integer(DAYS))
        .makeOptionMandatory(),
    )
    .action(async (reference: string | undefined, { days }: { days: number }) => {
      const { sandboxOfShell } = await import('../../sandboxes/sandbox-for.ts')
      const { sandboxId } = await sandboxOfShell(context, reference)
      const { sandboxes } = await context.provisioning()
      const record = await sandboxes.extend(sandboxId, days)
      const { describeSandbox } = await import('./describe-sandbox.ts')
      context.out.answer(record, () => describeSandbox(context, record))
    })
}
