import { relative, resolve } from 'node:path'
import { buildingTypes } from '@storey/contract'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { manifestViolations } from './checks/manifest.ts'
import { projectNode } from './checks/project-node.ts'
import { NODE_RANGE, runsVite } from './checks/versions.ts'
import type { CreateOptions } from './create-options.ts'
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
  if (options.install) {
    context.interruptNote = `The project was created. Run "npm install" in ${project.folder}.`
    await npmInstall(context, project.folder)
    context.interruptNote = undefined
  }
  const { folder, name, version } = project
  const record = { slug, name, folder, sdkVersion: version, installed: options.install, files }
  context.out.answer(record, () => nextSteps(context, project, options.install))
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

function nextSteps({ cwd, out }: Context, { slug, folder }: Project, isInstalled: boolean): string {
  const path = relative(cwd, folder) || '.'
  const steps: [command: string, why: string][] = [
    [`cd ${/^[\w./-]+$/.test(path) ? path : `"${path}"`}`, ''],
    ...(isInstalled ? [] : ([['npm install', 'installs the packages']] as [string, string][])),
    ['npm run dev', 'runs the module alone, with sample values'],
    ['npm run serve:remote', 'builds it and serves it on port 6001'],
    ['svc sandbox install manifest.json --sandbox=<sandbox>', 'in another terminal'],
    ['svc module doctor --sandbox=<sandbox>', 'if it does not load'],
  ]
  const widest = Math.max(...steps.map(([command]) => command.length))
  const lines = steps.map(([command, why]) =>
    why === '' ? `  ${command}` : `  ${command.padEnd(widest)}  ${out.paint('dim', why)}`,
  )
  return [
    `Created ${slug} in ${folder}.`,
    '',
    ...lines,
    '',
    `Then open <consoleUrl>/sandbox/${slug} in Chrome or Firefox.`,
  ].join('\n')
}
