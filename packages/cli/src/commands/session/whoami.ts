import type { Command } from 'commander'
import type { Context } from '../../context.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('whoami')
    .description('Show who is signed in')
    .action(async () => {
      await (await import('./who-am-i.ts')).whoAmI(context)
    })
}
