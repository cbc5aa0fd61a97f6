import { resolve } from 'node:path'
import { buildingTypes } from '@storey/contract'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { sandboxOfToken } from '../../sandbox-token.ts'
import { type FolderSandbox, folderSandbox, selectForFolder } from '../../sandboxes/folder-sandbox.ts'
import { DEFAULT_PORT } from '../sandbox/default-remote.ts'
import { manifestViolations } from './checks/manifest.ts'
import { projectNode } from './checks/project-node.ts'
import { NODE_RANGE, runsVite } from './checks/versions.ts'
import type { CreateOptions } from './create-options.ts'
import { freePort } from './free-port.ts'
import { nextSteps } from './next-steps.ts'
import { findAssets } from './project/assets.ts'
import { npmInstall } from './project/npm-install.ts'
import { refuseInsideClone } from './project/outside-of-clone.ts'
import { type Project, writeProject } from './project/write-project.ts'

const KNOWN: readonly string[] = buildingTypes.map(({ slug }) => slug)

export async function createModule(context: Context, slug: string, options: CreateOptions): Promise<void> {
  const project = checkedProject(context, slug, options)
  await refuseInsideClone(context, slug, project.folder)
  const files = await writeProject(project, findAssets())
  const node = await projectNode(context, project.folder)
  if (node === undefined || !runsVite(node)) {
    context.out.note(
      `The project needs Node ${NODE_RANGE}; your PATH has ${node === undefined ? 'no Node' : `Node ${node}`}.`,
    )
  }
  const port = await freePort()
  if (port !== DEFAULT_PORT) {
    context.out.note(
      `Port ${DEFAULT_PORT} is in use, perhaps by another module: serve the new module on port ${port}, as below.`,
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
  const selected = await inheritedSandbox(context, folder).catch(() => undefined)
  const connected = context.env.SVC_API_URL ? sandboxOfToken(context.env.SVC_API_TOKEN) : undefined
  const situation = { isInstalled: options.install, port, selected, connected }
  context.out.answer(record, () => nextSteps(context, project, situation))
}

/** The new project. Its manifest is validated by the same schema that the platform uses. */
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

/**
 * The sandbox that is selected for the project's folder. If there is none, the sandbox of the folder in which the
 * command ran is selected for the project too.
 */
async function inheritedSandbox(context: Context, folder: string): Promise<FolderSandbox | undefined> {
  const inProject = { ...context, cwd: folder }
  const own = await folderSandbox(inProject)
  const here = await folderSandbox(context)
  if (own !== undefined || here === undefined) return own
  return await selectForFolder(inProject, here.sandboxId, here.name)
}
