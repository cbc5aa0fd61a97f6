import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { integer } from '../argument-parsers.ts'
import { sandboxOption } from '../platform/sandbox-option.ts'
import type { ListenOptions } from './listen-options.ts'

const HELP = `
With --forward-to every event is posted to a local address in the form of a webhook: the same body, headers and
signature, so that a receiver can be written without a public address. A failed request is not repeated. The command runs
until Ctrl-C, or until --count events have arrived.

Examples:
  svc listen
  svc listen --forward-to localhost:7000/hook
  svc listen --forward-to localhost:7000/hook --events building.alarm.triggered
  export WEBHOOK_SECRET="$(svc listen --print-secret)"

In another terminal: svc trigger alarm`

export function register(parent: Command, context: Context): void {
  parent
    .command('listen')
    .description('Show the events of a sandbox, and post them to a local address')
    .addOption(sandboxOption())
    .addOption(new Option('--forward-to <url>', 'local address of a webhook receiver'))
    .addOption(new Option('--events <names>', 'only these events, separated by commas'))
    .addOption(new Option('--count <n>', 'stop after this many events').argParser(integer({ min: 1, max: 1_000_000 })))
    .option('--print-secret', 'print the secret that signs forwarded events, and exit')
    .addHelpText('after', HELP)
    .action(async (options: ListenOptions) => {
      await (await import('./listen-to-sandbox.ts')).listenToSandbox(context, options)
    })
}
