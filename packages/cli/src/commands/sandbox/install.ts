import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxReference } from '../argument-parsers.ts'
import { DEFAULT_REMOTE_ENTRY } from './default-remote.ts'
import type { InstallOptions } from './install-options.ts'

const HELP = `
Examples:
  svc sandbox install manifest.json --sandbox=<sandbox>
  eval "$(svc sandbox connect <sandbox>)" && svc sandbox install manifest.json

The command can be run again at any time, for instance when the module is served at another address.`

export function register(parent: Command, context: Context): void {
  parent
    .command('install')
    .description('Register a module in a sandbox and license it for the building')
    .argument('<manifest-file>', "the module's manifest, JSON")
    .addOption(
      new Option(
        '--sandbox <sandbox>',
        'the sandbox (default: the one in the environment, else the one selected with `svc use`)',
      ).argParser(sandboxReference),
    )
    .option('--remote-entry <url>', 'address of the built remote entry', DEFAULT_REMOTE_ENTRY)
    .addHelpText('after', HELP)
    .action(async (file: string, options: InstallOptions) => {
      await (await import('./install-module.ts')).installModule(context, file, options)
    })
}
