import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { quotedForSh } from '../../output/quoted-for-sh.ts'
import { safeText } from '../../output/safe-text.ts'
import { SELECTED_SANDBOX, sandboxReference } from '../argument-parsers.ts'

type Shell = 'sh' | 'fish' | 'powershell'

const HELP = `
Examples:
  eval "$(svc sandbox connect <sandbox>)"
  svc sandbox connect <sandbox> --shell=fish | source
  svc sandbox connect <sandbox> --shell=powershell | Out-String | Invoke-Expression`

export function register(parent: Command, context: Context): void {
  parent
    .command('connect')
    .description('Print the environment variables to connect to a sandbox')
    .argument('[sandbox]', SELECTED_SANDBOX, sandboxReference)
    .addOption(new Option('--shell <shell>', 'shell syntax').choices(['sh', 'fish', 'powershell']).default('sh'))
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, { shell }: { shell: Shell }) => {
      const { sandboxFor } = await import('../../sandboxes/sandbox-for.ts')
      const { sandboxId } = await sandboxFor(context, reference)
      const { sandboxes } = await context.provisioning()
      const connection = await sandboxes.connection(sandboxId)
      const variables: [string, string][] = [
        ['SVC_API_URL', connection.apiUrl],
        ['SVC_API_TOKEN', connection.token],
        ['SVC_SANDBOX_API_URL', context.service().url],
        ['SVC_BUILDING_ID', connection.buildingId],
        ['SVC_ORGANIZATION_ID', connection.organizationId],
        ['SVC_CONSOLE_URL', connection.consoleUrl ?? ''],
      ]
      context.out.answer(connection, () =>
        variables.map(([name, value]) => LINES[shell](name, safeText(value))).join('\n'),
      )
      if (context.out.isTerminal) {
        const command = `svc sandbox connect ${wordOf(shell, safeText(reference ?? sandboxId))}`
        context.out.hint(`\nTo set these variables in this shell: ${SETTERS[shell](command)}`)
        context.out.hint(
          "SVC_API_TOKEN is then the sandbox's token; for the provisioning service svc uses your session.",
        )
      }
    })
}

/** For each shell, the line that sets the variables which `command` prints. */
const SETTERS: Record<Shell, (command: string) => string> = {
  sh: (command) => `eval "$(${command})"`,
  fish: (command) => `${command} --shell=fish | source`,
  powershell: (command) => `${command} --shell=powershell | Out-String | Invoke-Expression`,
}

const QUOTED: Record<Shell, (text: string) => string> = {
  sh: quotedForSh,
  fish: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  powershell: (text) => `'${text.replaceAll("'", "''")}'`,
}

/** The text as one word of a command. */
const wordOf = (shell: Shell, text: string): string => (/^[\w-]+$/.test(text) ? text : QUOTED[shell](text))

const LINES: Record<Shell, (name: string, value: string) => string> = {
  sh: (name, value) => `export ${name}=${QUOTED.sh(value)}`,
  fish: (name, value) => `set -gx ${name} ${QUOTED.fish(value)}`,
  powershell: (name, value) => `$env:${name} = ${QUOTED.powershell(value)}`,
}
