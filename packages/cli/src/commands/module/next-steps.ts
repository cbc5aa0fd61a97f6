import { relative } from 'node:path'
import type { Context } from '../../context.ts'
import { safeText } from '../../output/safe-text.ts'
import type { FolderSandbox } from '../../sandboxes/folder-sandbox.ts'
import { DEFAULT_PORT, remoteEntryAt } from '../sandbox/default-remote.ts'
import type { Project } from './project/write-project.ts'
import { quotedPath } from './quoted-path.ts'

export interface Situation {
  isInstalled: boolean
  /** A free port for the remote. */
  port: number
  /** The sandbox that is selected for the project. */
  selected: FolderSandbox | undefined
  /** The id of the sandbox that the environment names, which takes precedence over `selected`. */
  connected: string | undefined
}

/** The commands that follow `module create`. Each can be run as printed, except that the user replaces `<sandbox>`. */
export function nextSteps(context: Context, { slug, folder }: Project, situation: Situation): string {
  const { cwd, out } = context
  const { isInstalled, port, selected, connected } = situation
  const isDefault = port === DEFAULT_PORT
  const steps: [command: string, why: string][] = [[`cd ${quotedPath(context, relative(cwd, folder) || '.')}`, '']]
  if (!isInstalled) steps.push(['npm install', 'installs the packages'])
  if (selected === undefined && connected === undefined)
    steps.push(['svc use "<sandbox>"', 'the name of a sandbox; `svc sandbox list` shows yours'])
  steps.push(
    [
      `npm run dev:remote${isDefault ? '' : ` -- --port ${port}`}`,
      `in another terminal: serves the module on port ${port}, built again at every change`,
    ],
    [
      `svc sandbox install manifest.json${isDefault ? '' : ` --remote-entry=${remoteEntryAt(port)}`}`,
      'registers the module',
    ],
    [`svc open --path /sandbox/${slug}`, 'shows the module in the console; use Chrome or Firefox'],
    ['svc module doctor', 'if the module does not load'],
    ['npm run dev', 'runs the module alone, with sample values'],
  )
  const widest = Math.max(...steps.map(([command]) => command.length))
  const lines = steps.map(([command, why]) =>
    why === '' ? `  ${command}` : `  ${command.padEnd(widest)}  ${out.paint('dim', why)}`,
  )
  return [`Created ${slug} in ${folder}.${sandboxSentence(situation)}`, '', ...lines].join('\n')
}

function sandboxSentence({ selected, connected }: Pick<Situation, 'selected' | 'connected'>): string {
  if (selected === undefined) return ''
  const name = safeText(selected.name)
  if (connected === undefined || connected === selected.sandboxId)
    return ` svc commands in this folder use the sandbox ${name}.`
  return ` The sandbox of this folder is ${name}, but the sandbox of SVC_API_TOKEN takes precedence.`
}
