import { LIMITS } from '@storey/contract'
import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { decimal, integer, shortText } from '../argument-parsers.ts'
import type { CreateOptions } from './create-options.ts'

const { sandbox } = LIMITS

const HELP = `
Examples:
  svc sandbox create --name "Harbour mall" --type mall --storeys 3
  svc sandbox create --seed demo --dry-run             previews the building of that seed, without a service
  svc sandbox create --seed demo --dry-run --out building.json`

export function register(parent: Command, context: Context): void {
  const { storeys, areaSqm, ttlDays, seedTelemetryDays, spaces } = sandbox
  const number = (flags: string, what: string, range: { min: number; max: number; default: number }) =>
    new Option(flags, `${what} (${range.min} to ${range.max}, default: ${range.default})`).argParser(integer(range))
  parent
    .command('create')
    .description('Create a sandbox and wait until it is ready')
    .addOption(
      new Option('--name <name>', 'display name (default: type and five random characters)').argParser(
        shortText(sandbox.nameLength),
      ),
    )
    .addOption(new Option('--type <type>', 'building type (default: office)').choices(['mall', 'office']))
    .addOption(number('--storeys <n>', 'number of storeys, including those below ground', storeys))
    .addOption(
      new Option(
        '--area-sqm <n>',
        'gross area of all storeys in square metres (default: depends on type, storeys and rooms)',
      ).argParser(decimal(areaSqm)),
    )
    .addOption(number('--ttl-days <n>', 'days until the sandbox expires', ttlDays))
    .addOption(number('--seed-telemetry-days <n>', 'days of generated history', seedTelemetryDays))
    .addOption(
      number('--spaces-min <n>', 'minimum number of rooms on a storey', { ...spaces, default: spaces.defaultMin }),
    )
    .addOption(
      number('--spaces-max <n>', 'maximum number of rooms on a storey', { ...spaces, default: spaces.defaultMax }),
    )
    .addOption(
      new Option('--equipment-density <density>', 'amount of equipment (default: realistic)').choices([
        'sparse',
        'realistic',
        'dense',
      ]),
    )
    .addOption(
      new Option(
        '--occupancy-profile <profile>',
        'when people are in the building (default: depends on the type)',
      ).choices(['24x7', 'office-hours', 'peak-evenings']),
    )
    .addOption(
      new Option(
        '--seed <text>',
        'text from which the building is generated; the same seed and options give the same building',
      ).argParser(shortText(sandbox.seedLength)),
    )
    .option('--no-wait', 'do not wait until the sandbox is ready')
    .option('--dry-run', 'preview the building locally, without a service or credential')
    .option('--storey <storey>', 'with --dry-run: the storey to draw, by code (L00) or number (0, -1)')
    .option('--out <file>', 'with --dry-run: write the whole building as JSON')
    .addHelpText('after', HELP)
    .action(async (options: CreateOptions) => {
      if (options.dryRun) await (await import('./dry-run.ts')).dryRun(context, options)
      else await (await import('./create-sandbox.ts')).createSandbox(context, options)
    })
}
