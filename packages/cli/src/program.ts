import { Command, Option } from 'commander'
import { register as registerCompletion } from './commands/completion/completion.ts'
import { register as registerListen } from './commands/listen/listen.ts'
import { register as registerLogs } from './commands/listen/logs.ts'
import { register as registerApi } from './commands/platform/api.ts'
import { register as registerOpen } from './commands/platform/open.ts'
import { register as registerUse } from './commands/platform/use.ts'
import { register as registerLogin } from './commands/session/login.ts'
import { register as registerLogout } from './commands/session/logout.ts'
import { register as registerWhoami } from './commands/session/whoami.ts'
import { register as registerTrigger } from './commands/trigger/trigger.ts'
import type { Context } from './context.ts'

type Register = (parent: Command, context: Context) => void
type Load = () => Promise<{ register: Register }>

interface Group {
  description: string
  commands: readonly Load[]
}

/** The commands of a group are loaded if the group is on the command line, or if all commands are requested. */
const GROUPS: Record<string, Group> = {
  sandbox: {
    description: 'Create, use and delete sandboxes',
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
    description: 'Create and check front-end modules',
    commands: [() => import('./commands/module/create.ts'), () => import('./commands/module/doctor.ts')],
  },
}

const SINGLE: readonly Register[] = [
  registerLogin,
  registerLogout,
  registerWhoami,
  registerUse,
  registerOpen,
  registerApi,
  registerTrigger,
  registerListen,
  registerLogs,
  registerCompletion,
]

/** Lets commander suggest a correction for --formt=json, by removing the value from the unknown option. */
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
  svc use "My first mall"
  eval "$(svc sandbox connect "My first mall")"
  svc module create my-module

A sandbox is named by its id, its slug or its name.
Credentials: --token, then SVC_API_TOKEN, then the session that login stored. A sandbox's own token in SVC_API_TOKEN is
used for that sandbox only.
Address: --api, then SVC_SANDBOX_API_URL, then SVC_API_URL, then http://localhost:4000.
Exit codes: 0 done, 1 refused or failed, 2 unreachable or timed out, 64 wrong usage, 130 interrupted.`

/** The tree of commands. Only the groups that `words` names are loaded, or all if `words` is undefined. */
export async function buildProgram(context: Context, words: readonly string[] | undefined): Promise<Command> {
  const program = new SvcCommand('svc')
    .description('Manage sandboxes of building twins and their modules.')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help')
    .addOption(new Option('--api <url>', 'address of the provisioning service'))
    .addOption(
      new Option('--token <token>', 'credential; visible to other users of this machine, unlike SVC_API_TOKEN'),
    )
    .addOption(new Option('--format <form>', 'output format').choices(['text', 'json']).default('text'))
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
  // A completion script contains every command.
  const isWanted = (name: string) => words === undefined || words.includes(name) || words.includes('completion')
  for (const register of SINGLE) register(program, context)
  for (const [name, { description, commands }] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description)
    if (!isWanted(name)) continue
    for (const load of commands) (await load()).register(group, context)
  }
  return program
}
