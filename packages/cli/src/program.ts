import { Command, Option } from 'commander'
import { register as registerCompletion } from './commands/completion/completion.ts'
import { register as registerLogin } from './commands/session/login.ts'
import { register as registerLogout } from './commands/session/logout.ts'
import { register as registerWhoami } from './commands/session/whoami.ts'
import type { Context } from './context.ts'

type Register = (parent: Command, context: Context) => void
type Load = () => Promise<{ register: Register }>

interface Group {
  description: string
  commands: readonly Load[]
}

/** A group's commands are loaded when its name is on the command line, or when all are asked for. */
const GROUPS: Record<string, Group> = {
  sandbox: {
    description: 'Make, use and remove sandboxes',
    commands: [
      () => import('./commands/sandbox/create.ts'),
      () => import('./commands/sandbox/list.ts'),
      () => import('./commands/sandbox/connect.ts'),
      () => import('./commands/sandbox/extend.ts'),
      () => import('./commands/sandbox/reset.ts'),
      () => import('./commands/sandbox/delete.ts'),
      () => import('./commands/sandbox/install.ts'),
    ],
  },
  module: {
    description: 'Start a front-end module, and find what keeps it from loading',
    commands: [() => import('./commands/module/create.ts'), () => import('./commands/module/doctor.ts')],
  },
}

const SINGLE: readonly Register[] = [registerLogin, registerLogout, registerWhoami, registerCompletion]

/** commander looks for what was meant by the whole word, and nothing is like --formt=json. */
class SvcCommand extends Command {
  override createCommand(name?: string): SvcCommand {
    return new SvcCommand(name)
  }

  unknownOption(flag: string): void {
    const { unknownOption } = Command.prototype as unknown as SvcCommand
    unknownOption.call(this, flag.split('=')[0]!)
  }
}

const EXAMPLES = `
Examples:
  svc login
  svc sandbox create --name "My first mall" --type mall
  eval "$(svc sandbox connect <id>)"
  svc module create my-module

Credentials: --token, then SVC_API_TOKEN, then the session that login stored.
Address: --api, then SVC_SANDBOX_API_URL, then SVC_API_URL, then http://localhost:4000.
Exit codes: 0 done, 1 refused or failed, 2 out of reach or given up, 64 wrong usage.`

/** The tree of commands. Only what the words name is loaded; `undefined` loads everything. */
export async function buildProgram(context: Context, words: readonly string[] | undefined): Promise<Command> {
  const program = new SvcCommand('svc')
    .description('Sandboxes of building twins, and modules for them, from the command line.')
    .version(context.version, '-V, --version', 'print the version of the tool')
    .helpOption('-h, --help', 'show what there is')
    .helpCommand('help [command]', 'show what there is')
    .addOption(new Option('--api <url>', 'address of the provisioning service'))
    .addOption(
      new Option('--token <token>', 'credential; others on this machine can see it, SVC_API_TOKEN they cannot'),
    )
    .addOption(new Option('--format <form>', 'form of the answer').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.out.print(text),
      writeErr: (text) => context.out.note(text),
      outputError: () => undefined,
    })
    .exitOverride()
    .hook('preAction', (_, action) => {
      Object.assign(context.options, action.optsWithGlobals())
      context.out.format = context.options.format
    })
  // A completion script knows every command.
  const isWanted = (name: string) => words === undefined || words.includes(name) || words.includes('completion')
  for (const register of SINGLE) register(program, context)
  for (const [name, { description, commands }] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description)
    if (!isWanted(name)) continue
    for (const load of commands) (await load()).register(group, context)
  }
  return program
}
