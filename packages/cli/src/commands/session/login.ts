import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import type { LoginOptions } from './login-options.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('login')
    .description('Sign in with your browser')
    .option('--no-browser', 'do not open the browser')
    .option('--issuer <url>', 'address of the developers realm, if the service does not publish it')
    .action(async (options: LoginOptions) => {
      await (await import('./log-in.ts')).logIn(context, options)
    })
}
