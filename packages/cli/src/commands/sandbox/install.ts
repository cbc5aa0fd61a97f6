import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxReference } from '../argument-parsers.ts'
import type { InstallOptions } from './install-options.ts'

/** Where a module's preview server listens unless it is told otherwise. */
export const USUAL_PORT = 6001
export const remoteEntryAt = (port: number): string => `http://localhost:${port}/assets/remoteEntry.js`
export const USUAL_REMOTE_ENTRY = remoteEntryAt(USUAL_PORT)

const HELP = `
Examples:
  svc sandbox install manifest.json --sandbox=<sandbox>
  eval "$(svc sandbox connect <sandbox>)" && svc sandbox install manifest.json

It can be run again at any time, for instance when the remote is served elsewhere.`

export function register(parent: Command, context: Context): void {
  parent
    .command('install')
    .description('Register a module in a sandbox and license it for the building')
    .argument('<manifest-file>', "the module's manifest, JSON")
    .addOption(
      new Option('--sandbox <sandbox>', 'the sandbox (default: that of the environment, then of `svc use`)').argParser(
        sandboxReference,
      ),
    )
    .option('--remote-entry <url>', 'address of the built remote entry', USUAL_REMOTE_ENTRY)
    .addHelpText('after', HELP)
    .action(async (file: string, options: InstallOptions) => {
      await (await import('./install-module.ts')).installModule(context, file, options)
    })
}
