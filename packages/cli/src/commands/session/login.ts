import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import type { LoginOptions } from './login-options.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('login')
    .description('Sign in with your browser')
    .option('--no-browser', 'show the address only')
    .option('--issuer <url>', 'the developers realm, where the service does not tell')
    .action(async (options: LoginOptions) => {
      await (await import('./log-in.ts')).logIn(context, options)
    })
}
