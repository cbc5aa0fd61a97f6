import { relative, resolve } from 'node:path'
import { buildingTypes } from '@storey/contract'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { sandboxOfToken } from '../../sandbox-token.ts'
import { folderSandbox } from '../../sandboxes/folder-sandbox.ts'
import { DEFAULT_PORT, remoteEntryAt } from '../sandbox/default-remote.ts'
import { manifestViolations } from './checks/manifest.ts'
import { projectNode } from './checks/project-node.ts'
import { NODE_RANGE, runsVite } from './checks/versions.ts'
import type { CreateOptions } from './create-options.ts'
import { freePort } from './free-port.ts'
import { findAssets } from './project/assets.ts'
import { npmInstall } from './project/npm-install.ts'
import { type Project, writeProject } from './project/write-project.ts'

const KNOWN: readonly string[] = buildingTypes.map(({ slug }) => slug)

export async function createModule(context: Context, slug: string, options: CreateOptions): Promise<void> {
  const project = checkedProject(context, slug, options)
  const files = await writeProject(project, findAssets())
  const node = await projectNode(context, project.folder)
  if (node === undefined || !runsVite(node)) {
    context.out.note(`The project needs Node ${NODE_RANGE}; the node on your PATH is ${node ?? 'missing'}.`)
  }
  const port = await freePort()
  if (port !== DEFAULT_PORT) {
    context.out.note(
      `Port ${DEFAULT_PORT} is in use, perhaps by another module: serve this one on port ${port}, as below.`,
    )
  }
  if (options.install) {
    if (!context.out.isWatched) context.out.note(`Created ${slug} in ${project.folder}. Installing its packages.`)
    context.interruptNote = `The project was created. Run "npm install" in ${project.folder}.`
    await npmInstall(context, project.folder)
    context.interruptNote = undefined
  }
  const { folder, name, version } = project
  const record = { slug, name, folder, sdkVersion: version, installed: options.install, files }
  const isSelected = (await findTargetName(context)) !== undefined
  context.out.answer(record, () => nextSteps(context, project, { ...options, port, isSelected }))
}

/** Validated by the same schema that the platform uses for the manifest. */
function checkedProject(context: Context, slug: string, options: CreateOptions): Project {
  const types = options.buildingTypes?.split(',').map((type) => type.trim()) ?? KNOWN
  const name = options.name ?? inWords(slug)
  const manifest = { slug, name, version: '0.1.0', sdkVersion: context.version, buildingTypes: [...new Set(types)] }
  const [violation] = manifestViolations(manifest)
  if (violation !== undefined)
    throw wrongUsage(`Cannot create the module: ${violation}.`, 'Nothing was written. See `svc module create --help`.')
  const folder = resolve(context.cwd, options.dir ?? slug)
  return { folder, slug, name, buildingTypes: manifest.buildingTypes, version: context.version }
}

const inWords = (slug: string) => {
  const words = slug.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Whether commands without --sandbox find a sandbox: the project is below this folder. */
async function findTargetName(context: Context): Promise<string | undefined> {
  if (context.env.SVC_API_URL && sandboxOfToken(context.env.SVC_API_TOKEN)) return context.env.SVC_API_URL
  return (await folderSandbox(context).catch(() => undefined))?.sandboxId
}

interface Steps {
  install: boolean
  port: number
  /** Whether a sandbox is selected for the folder or the shell. */
  isSelected: boolean
}

function nextSteps({ cwd, out }: Context, { slug, folder }: Project, { install, port, isSelected }: Steps): string {
  const sandbox = isSelected ? '' : ' --sandbox=<sandbox>'
  const isUsual = port === DEFAULT_PORT
  const entry = isUsual ? '' : ` --remote-entry=${remoteEntryAt(port)}`
  const path = relative(cwd, folder) || '.'
  const steps: [command: string, why: string][] = [
    [`cd ${/^[\w./-]+$/.test(path) ? path : `"${path}"`}`, ''],
    ...(install ? [] : ([['npm install', 'installs the packages']] as [string, string][])),
    ['npm run dev', 'runs the module alone, with sample values'],
    [`npm run serve:remote${isUsual ? '' : ` -- --port ${port}`}`, `builds it and serves it on port ${port}`],
    [`svc sandbox install manifest.json${sandbox}${entry}`, 'in another terminal'],
    [
      `svc open${isSelected ? '' : ' <sandbox>'} --path /sandbox/${slug}`,
      'shows it in the console; use Chrome or Firefox',
    ],
    [`svc module doctor${sandbox}`, 'if it does not load'],
  ]
  const widest = Math.max(...steps.map(([command]) => command.length))
  const lines = steps.map(([command, why]) =>
    why === '' ? `  ${command}` : `  ${command.padEnd(widest)}  ${out.paint('dim', why)}`,
  )
  return [`Created ${slug} in ${folder}.`, '', ...lines].join('\n')
}
