import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { CliError, EXIT } from '../../../errors.ts'
import { makeFolder } from '../../../make-folder.ts'
import { describeSystemError, isSystemError } from '../../../output/system-errors.ts'
import type { ProjectAssets } from './assets.ts'

export interface Project {
  folder: string
  slug: string
  name: string
  buildingTypes: readonly string[]
  /** The version of the tool and of its SDK, by which the platform decides whether it can run the module. */
  version: string
}

/**
 * Files that have another name in the template: npm does not pack a `.gitignore`, and tools would read a
 * `package-lock.json` as the lock file of the template folder itself.
 */
const RENAMED: Record<string, string> = { gitignore: '.gitignore', 'lock.json': 'package-lock.json' }

/** Writes a project and returns the paths of its files. Escapes the module's name, so that every file is valid. */
export async function writeProject(project: Project, assets: ProjectAssets): Promise<string[]> {
  await refuseOccupied(project.folder)
  try {
    return await writeFiles(project, assets)
  } catch (cause) {
    if (!isSystemError(cause)) throw cause
    throw new CliError(`The project cannot be written to ${project.folder}: ${describeSystemError(cause)}.`, {
      code: 'NOT_WRITTEN',
      next: 'Choose another folder with --dir.',
      cause,
    })
  }
}

async function writeFiles(project: Project, assets: ProjectAssets): Promise<string[]> {
  const files = await filesIn(assets.template)
  const sdk = await readFile(assets.sdkTarball)
  const written: string[] = []
  for (const file of files) {
    const to = RENAMED[file] ?? file
    await makeFolder(dirname(join(project.folder, to)))
    await writeFile(
      join(project.folder, to),
      filled(file, await readFile(join(assets.template, file), 'utf8'), project, sdk),
    )
    written.push(to)
  }
  const tarball = sdkFile(project.version)
  await makeFolder(join(project.folder, 'vendor'))
  await writeFile(join(project.folder, tarball), sdk)
  return [...written, tarball].sort()
}

const sdkFile = (version: string) => `vendor/storey-sdk-${version}.tgz`

function filled(file: string, text: string, project: Project, sdk: Buffer): string {
  const { slug, name, buildingTypes, version } = project
  if (file === 'manifest.json') {
    return json({ ...JSON.parse(text), slug, name, sdkVersion: version, buildingTypes })
  }
  if (file === 'package.json') {
    const template = JSON.parse(text)
    const dependencies = { ...template.dependencies, '@storey/sdk': `file:${sdkFile(version)}` }
    // The prefix keeps the name different from the names of dependencies.
    return json({ ...template, name: `module-${slug}`, dependencies })
  }
  if (file === 'lock.json') return json(filledLock(JSON.parse(text), project, sdk))
  if (file === 'README.md') return text.replaceAll('{{name}}', () => asMarkdown(name)).replaceAll('{{slug}}', slug)
  return text
}

interface LockFile {
  packages: Record<string, { dependencies?: Record<string, string> }>
}

/** Adds the SDK's file and its hash to the lock file of the template. */
function filledLock(lock: LockFile, { slug, version }: Project, sdk: Buffer): object {
  const { '': template, 'node_modules/@storey/sdk': entry, ...others } = lock.packages
  const [name, resolved] = [`module-${slug}`, `file:${sdkFile(version)}`]
  const integrity = `sha512-${createHash('sha512').update(sdk).digest('base64')}`
  const packages = {
    '': { ...template, name, dependencies: { ...template?.dependencies, '@storey/sdk': resolved } },
    ...others,
    'node_modules/@storey/sdk': { ...entry, version, resolved, integrity },
  }
  return { ...lock, name, packages }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** Escapes every character that is special in Markdown or HTML. */
const asMarkdown = (text: string) => text.replace(/[\\`*_{}[\]()#+\-.!|<>&~]/g, '\\$&')

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return (
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      // These folders exist if somebody has built the template itself.
      .filter((file) => !/^(node_modules|dist)\//.test(file))
      .sort()
  )
}

async function refuseOccupied(folder: string): Promise<void> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (code === 'ENOTDIR')
      throw occupied(`${folder} is a file, or is inside one.`, 'Choose another folder with --dir.')
    if (!isSystemError(error)) throw error
    throw new CliError(`${folder} cannot be read: ${describeSystemError(error)}.`, {
      code: 'NOT_WRITTEN',
      next: 'Choose another folder with --dir.',
      cause: error,
    })
  }
  const [first, ...others] = names.sort()
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw occupied(
    `${folder} is not empty: it contains ${first}${more}.`,
    'Choose another folder with --dir, or empty this folder.',
  )
}

const occupied = (message: string, next: string) =>
  new CliError(message, {
    code: 'FOLDER_NOT_EMPTY',
    exitCode: EXIT.refused,
    next: `${next} Nothing was written.`,
  })
