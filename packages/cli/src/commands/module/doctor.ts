import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxReference } from '../argument-parsers.ts'
import { DEFAULT_REMOTE_ENTRY } from '../sandbox/default-remote.ts'
import type { DoctorOptions } from './doctor-options.ts'

const HELP = `
Examples:
  svc module doctor
  svc module doctor --sandbox=<sandbox>

The exit code is 1 if a check fails. Checks that were skipped are listed with the reason.`

export function register(parent: Command, context: Context): void {
  parent
    .command('doctor')
    .description('Find out why a module does not load, and how to fix it')
    .option('--dir <folder>', 'folder of the module project (default: the current one)')
    .option('--remote-entry <url>', `address of the remote entry (default: as registered, or ${DEFAULT_REMOTE_ENTRY})`)
    .addOption(
      new Option(
        '--sandbox <sandbox>',
        'check this sandbox too (default: the one in the environment, else the one selected with `svc use`)',
      ).argParser(sandboxReference),
    )
    .addHelpText('after', HELP)
    .action(async (options: DoctorOptions) => {
      await (await import('./examine-module.ts')).examineModule(context, options)
    })
}
