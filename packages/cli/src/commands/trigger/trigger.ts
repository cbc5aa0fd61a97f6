import { Argument, type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { integer, shortText } from '../argument-parsers.ts'
import { sandboxOption } from '../platform/sandbox-option.ts'
import type { TriggerKind, TriggerOptions } from './trigger-options.ts'

const HELP = `
  alarm   turns an alarm point on, which causes a fault and the event building.alarm.triggered
  value   sends an observation of a point, which causes the event building.point.updated
  outage  stops the observations of a storey in the simulation, which is started if needed

Examples:
  svc trigger alarm
  svc trigger value --point AHU-01.RAT --value 31.5
  svc trigger outage --minutes 10

\`svc listen\` shows the events.`

export function register(parent: Command, context: Context): void {
  parent
    .command('trigger')
    .description('Trigger an alarm, a value or an outage in a sandbox')
    .addArgument(new Argument('<what>', 'what happens').choices(['alarm', 'value', 'outage']))
    .addOption(sandboxOption())
    .addOption(new Option('--point <point>', 'id, code or name of the point').argParser(shortText(200)))
    .addOption(new Option('--value <value>', 'value to send (default: the last value plus 1)'))
    .addOption(new Option('--node <id>', 'storey, space or element of the outage (default: the first storey)'))
    .addOption(
      new Option('--minutes <n>', 'length of the outage in simulated time')
        .argParser(integer({ min: 1, max: 10_080 }))
        .default(60),
    )
    .addHelpText('after', HELP)
    .action(async (what: TriggerKind, options: TriggerOptions) => {
      await (await import('./run-trigger.ts')).runTrigger(context, what, options)
    })
}
