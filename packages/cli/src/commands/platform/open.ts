import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CURRENT_SANDBOX, sandboxReference } from '../argument-parsers.ts'

const HELP = `
Examples:
  svc open
  svc open "My first mall"
  svc open --path /sandbox/my-module
  svc open --no-browser       prints an address that signs you in once, within a minute`

export function register(parent: Command, context: Context): void {
  parent
    .command('open')
    .description('Open the console of a sandbox, signed in as its owner')
    .argument('[sandbox]', CURRENT_SANDBOX, sandboxReference)
    .option('--path <path>', 'path of the console page to open (default: the first page)')
    .option('--no-browser', 'print the address only')
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, options: { browser: boolean; path?: string }) => {
      await (await import('./open-console.ts')).openConsole(context, reference, options)
    })
}
