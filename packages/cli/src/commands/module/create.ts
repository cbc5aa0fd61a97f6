import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import type { CreateOptions } from './create-options.ts'

const HELP = `
Examples:
  svc module create air-quality
  svc module create air-quality --name "Air quality" --building-types=office --no-install`

export function register(parent: Command, context: Context): void {
  parent
    .command('create')
    .description('Make a module project that builds and runs at once')
    .argument('<slug>', 'lowercase kebab-case, such as air-quality')
    .option('--name <text>', 'what people read (default: the slug in words)')
    .option('--dir <folder>', 'where to write it (default: a folder named like the slug)')
    .option('--building-types <slugs>', 'for which kinds of building, with commas (default: all)')
    .option('--no-install', 'leave the packages for later')
    .addHelpText('after', HELP)
    .action(async (slug: string, options: CreateOptions) => {
      await (await import('./create-module.ts')).createModule(context, slug, options)
    })
}
