import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxId } from '../argument-parsers.ts'
import { USUAL_REMOTE_ENTRY } from '../sandbox/install.ts'
import type { DoctorOptions } from './doctor-options.ts'

const HELP = `
Examples:
  svc module doctor
  svc module doctor --sandbox=<id>

Exit code 1 when a check fails. What was not looked at is said to be so.`

export function register(parent: Command, context: Context): void {
  parent
    .command('doctor')
    .description('Find out why a module does not load, and how to fix it')
    .option('--dir <folder>', 'folder of the module project (default: the current one)')
    .option('--remote-entry <url>', 'address of the built remote entry', USUAL_REMOTE_ENTRY)
    .addOption(
      new Option('--sandbox <id>', 'check this sandbox too (default: SVC_API_URL with SVC_API_TOKEN)').argParser(
        sandboxId,
      ),
    )
    .addHelpText('after', HELP)
    .action(async (options: DoctorOptions) => {
      await (await import('./examine-module.ts')).examineModule(context, options)
    })
}
