import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { SANDBOX_ARGUMENT, sandboxReference } from '../argument-parsers.ts'

const HELP = `
Examples:
  svc use "My first mall"     commands in this folder and below it use this sandbox
  svc use                     shows which sandbox is selected
  svc use --clear

--sandbox takes precedence over the selection. SVC_API_URL and SVC_API_TOKEN, if \`svc sandbox connect\` has set them,
also take precedence.`

export function register(parent: Command, context: Context): void {
  parent
    .command('use')
    .description('Select a sandbox for this folder')
    .argument('[sandbox]', SANDBOX_ARGUMENT, sandboxReference)
    .option('--clear', 'clear the selection')
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, { clear }: { clear?: boolean }) => {
      await (await import('./use-sandbox.ts')).useSandbox(context, reference, clear === true)
    })
}
