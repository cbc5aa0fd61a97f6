import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxOption } from '../platform/sandbox-option.ts'
import type { LogsOptions } from './listen-options.ts'

const HELP = `
Examples:
  svc logs
  svc logs --no-follow
  svc logs --format=json | grep '"status":"failed"'`

export function register(parent: Command, context: Context): void {
  parent
    .command('logs')
    .description('Show the webhook deliveries and live events of a sandbox')
    .addOption(sandboxOption())
    .option('--no-follow', 'show the last deliveries, and exit')
    .addHelpText('after', HELP)
    .action(async (options: LogsOptions) => {
      await (await import('./follow-logs.ts')).followLogs(context, options)
    })
}
