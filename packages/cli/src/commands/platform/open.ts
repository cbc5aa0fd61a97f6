import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { SANDBOX_ARGUMENT, sandboxReference } from '../argument-parsers.ts'

const HELP = `
Examples:
  svc open
  svc open "My first mall"
  svc open --no-browser       prints the address, which signs in once, within a minute`

export function register(parent: Command, context: Context): void {
  parent
    .command('open')
    .description('Open the console of a sandbox, signed in as its owner')
    .argument('[sandbox]', `${SANDBOX_ARGUMENT} (default: that of \`svc use\`)`, sandboxReference)
    .option('--no-browser', 'print the address only')
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, { browser }: { browser: boolean }) => {
      await (await import('./open-console.ts')).openConsole(context, reference, browser)
    })
}
