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
    .description('Create a module project')
    .argument('<module>', 'slug of the module, in lowercase kebab-case, such as air-quality')
    .option('--name <text>', 'display name (default: derived from the slug)')
    .option('--dir <folder>', 'folder of the project (default: the slug)')
    .option('--building-types <slugs>', 'building types, separated by commas (default: all)')
    .option('--no-install', 'do not install packages')
    .addHelpText('after', HELP)
    .action(async (slug: string, options: CreateOptions) => {
      await (await import('./create-module.ts')).createModule(context, slug, options)
    })
}
