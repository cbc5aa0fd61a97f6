import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { CliError, EXIT } from '../../../errors.ts'
import type { ProjectAssets } from './assets.ts'

export interface Project {
  folder: string
  slug: string
  name: string
  buildingTypes: readonly string[]
  /** The tool's own version goes into the manifest: the platform decides by it whether it can run the module. */
  version: string
}

/** npm leaves a .gitignore out of packages, so the template has it under another name. */
const RENAMED: Record<string, string> = { gitignore: '.gitignore' }

/** Names go into JSON files by their fields, so that no name can break the text around it. */
export async function writeProject(project: Project, assets: ProjectAssets): Promise<string[]> {
  await refuseOccupied(project.folder)
  const files = await filesIn(assets.template)
  const written: string[] = []
  for (const file of files) {
    const to = RENAMED[file] ?? file
    await mkdir(dirname(join(project.folder, to)), { recursive: true })
    await writeFile(
      join(project.folder, to),
      filled(file, await readFile(join(assets.template, file), 'utf8'), project),
    )
    written.push(to)
  }
  const tarball = sdkFile(project.version)
  await mkdir(join(project.folder, 'vendor'), { recursive: true })
  await copyFile(assets.sdkTarball, join(project.folder, tarball))
  return [...written, tarball].sort()
}

const sdkFile = (version: string) => `vendor/storey-sdk-${version}.tgz`

function filled(file: string, text: string, project: Project): string {
  const { slug, name, buildingTypes, version } = project
  if (file === 'manifest.json') {
    return json({ ...JSON.parse(text), slug, name, sdkVersion: version, buildingTypes })
  }
  if (file === 'package.json') {
    const template = JSON.parse(text)
    const dependencies = { ...template.dependencies, '@storey/sdk': `file:${sdkFile(version)}` }
    // With a prefix it cannot be called like a package that it needs.
    return json({ ...template, name: `module-${slug}`, dependencies })
  }
  if (file === 'README.md') return text.replaceAll('{{name}}', () => asMarkdown(name)).replaceAll('{{slug}}', slug)
  return text
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** Every sign that Markdown or HTML would read as more than text. */
const asMarkdown = (text: string) => text.replace(/[\\`*_{}[\]()#+\-.!|<>&~]/g, '\\$&')

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return (
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      // A template that was tried out in its place has these.
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
    if (code !== 'ENOTDIR') throw error
    throw occupied(`${folder} is a file.`)
  }
  const [first, ...others] = names.sort()
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw occupied(`${folder} is not empty: it holds ${first}${more}.`)
}

const occupied = (message: string) =>
  new CliError(message, {
    code: 'FOLDER_NOT_EMPTY',
    exitCode: EXIT.refused,
    next: 'Choose another folder with --dir, or empty this one. Nothing was written.',
  })
