import type { Command } from 'commander'
import type { Context } from '../../context.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('logout')
    .description('Sign out')
    .action(async () => {
      await (await import('./log-out.ts')).logOut(context)
    })
}
