import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Manifest, VERSION } from '@storey/contract'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { Check } from 'typebox/value'
import { beforeEach, describe, expect, it } from 'vitest'
import { sandboxRecord, scriptedService } from '../../testing/scripted-service.ts'
import { newHome, runTool } from '../../testing/test-context.ts'
import { manifestViolations } from './checks/manifest.ts'
import { findAssets } from './project/assets.ts'
import { type Project, writeProject } from './project/write-project.ts'

const template = join(import.meta.dirname, '../../../templates/module')
let cwd: string
beforeEach(async () => {
  cwd = temporaryFolder('svc-create')
  await mkdir(join(cwd, 'empty'))
})

async function write(more: Partial<Project> = {}): Promise<{ folder: string; files: string[] }> {
  const sdkTarball = join(cwd, 'sdk.tgz')
  await writeFile(sdkTarball, 'the SDK')
  const folder = join(cwd, 'made')
  const project = { folder, slug: 'air-quality', name: 'Air', buildingTypes: ['office'], version: VERSION, ...more }
  return { folder, files: await writeProject(project, { template, sdkTarball }) }
}
const json = async (...path: string[]) => JSON.parse(await readFile(join(...path), 'utf8'))

describe('svc module create', () => {
  it.each([
    ['Air_Quality', 'kebab-case'],
    ['-air', 'kebab-case'],
    ['air--quality', 'kebab-case'],
    ['../air', 'kebab-case'],
    ['a'.repeat(65), 'at most 64 characters'],
  ])('refuses the slug %s, and names the rule', async (slug, rule) => {
    const { code, stdout, stderr } = await runTool(['module', 'create', '--', slug], { cwd })
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(rule)
    expect(await readdir(cwd)).toEqual(['empty'])
  })

  it.each([
    [['--building-types=castle'], 'office, mall'],
    [['--name='], 'one line'],
    [['--name=two\nlines'], 'one line'],
    [['--speed=2'], '--speed'],
    [['another'], 'argument'],
  ])('refuses the arguments %j', async (words, rule) => {
    const { code, stderr } = await runTool(['module', 'create', 'air-quality', ...words], { cwd })
    expect(code).toBe(64)
    expect(stderr).toContain(rule)
    expect(await readdir(cwd)).toEqual(['empty'])
  })
})

describe('the next steps after svc module create', () => {
  const create = (options: Parameters<typeof runTool>[1], ...words: string[]) =>
    runTool(['module', 'create', 'air-quality', '--no-install', ...words], options)

  it('[CLI-50, CLI-51] name the port for serving the module, and the command that shows the module', async () => {
    const { code, stdout } = await create({ cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /npm run dev:remote( -- --port 60\d\d)? +in another terminal: serves the module on port 60\d\d/,
    )
    expect(stdout).toMatch(/svc use "<sandbox>" .*\n.*\n +svc sandbox install manifest\.json/)
    expect(stdout).toContain('svc open --path /sandbox/air-quality')
    const token = `e30.${Buffer.from('{"aud":"sbx_1"}').toString('base64url')}.c2ln`
    const env = { SVC_API_URL: 'http://mall.localhost:4000', SVC_API_TOKEN: token }
    const connected = await create({ cwd, env }, '--dir=water')
    expect(connected.stdout).not.toContain('<sandbox>')
  })

  it('[CLI-54] use the sandbox of the folder where the command ran, even for a module in another folder', async () => {
    const { url } = await scriptedService(() => ({ json: sandboxRecord({ sandboxId: 'sbx_a', name: 'Mall' }) }))
    const env = { ...newHome(), SVC_SANDBOX_API_URL: url, SVC_API_TOKEN: 'svc_key' }
    const clone = join(cwd, 'empty')
    await runTool(['use', 'sbx_a'], { env, cwd: clone })
    const { stdout } = await create({ cwd: clone, env }, '--dir', join('..', 'air quality'))
    expect(stdout).toMatch(
      /^Created air-quality in .*\/air quality\. svc commands in this folder use the sandbox Mall\.\n\n {2}cd '/,
    )
    expect(stdout).toContain("\n  cd '../air quality'\n")
    expect(stdout).not.toMatch(/svc use|--sandbox/)
    expect((await runTool(['use'], { env, cwd: join(cwd, 'air quality') })).stdout).toContain('uses Mall (sbx_a)')
    const token = `e30.${Buffer.from('{"aud":"sbx_1"}').toString('base64url')}.c2ln`
    const shell = { ...env, SVC_API_URL: 'http://mall.localhost:4000', SVC_API_TOKEN: token }
    const connected = await create({ cwd: clone, env: shell }, '--dir', join('..', 'light'))
    expect(connected.stdout).toContain('is Mall, but the sandbox of SVC_API_TOKEN takes precedence.')
  })
})

describe('a module inside the repository of Storey', () => {
  it('[CLI-54] is refused, with the command that creates it beside the clone', async () => {
    const inside = join(cwd, 'empty', 'docs')
    await mkdir(inside)
    await writeFile(join(cwd, 'empty', 'package.json'), '{"name": "storey", "workspaces": ["packages/*"]}')
    const refused = await runTool(['module', 'create', 'air-quality', '--no-install'], { cwd: inside })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('svc module create air-quality --dir ../../air-quality')
    expect(await readdir(inside)).toEqual([])
    const beside = ['module', 'create', 'air-quality', '--no-install', '--dir', '../../air-quality']
    expect(await runTool(beside, { cwd: inside })).toMatchObject({ code: 0 })
  })
})

describe('a module project', () => {
  it('[VER-03] has the version of the tool in its manifest, which the contract accepts', async () => {
    const { folder } = await write({ version: '1.15.3' })
    const manifest = await json(folder, 'manifest.json')
    expect(manifest).toMatchObject({
      slug: 'air-quality',
      name: 'Air',
      sdkVersion: '1.15.3',
      buildingTypes: ['office'],
    })
    expect(Check(Manifest, manifest)).toBe(true)
    expect(manifestViolations(manifest)).toEqual([])
  })

  it('[VER-04] has the scripts dev:remote and serve:remote, and the SDK as a file', async () => {
    const { folder, files } = await write()
    const { name, scripts, dependencies } = await json(folder, 'package.json')
    expect(name).toBe('module-air-quality')
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(['dev:remote', 'serve:remote', 'build', 'test', 'typecheck']),
    )
    const tarball = dependencies['@storey/sdk'].replace('file:', '')
    expect(tarball).toBe(`vendor/storey-sdk-${VERSION}.tgz`)
    expect(await readFile(join(folder, tarball), 'utf8')).toBe('the SDK')
    expect(files).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'manifest.json', 'src/Shell.tsx', tarball]),
    )
    expect(files).not.toContain('gitignore')
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('node_modules')
  })

  it('[CLI-49] has a lock file that fits its package.json and its SDK', async () => {
    const { folder } = await write({ version: '1.15.3' })
    const [lock, manifest] = [await json(folder, 'package-lock.json'), await json(folder, 'package.json')]
    const { name, dependencies, devDependencies } = manifest
    expect(lock.name).toBe(name)
    expect(lock.packages['']).toMatchObject({ name, dependencies, devDependencies })
    const hash = createHash('sha512').update('the SDK').digest('base64')
    expect(lock.packages['node_modules/@storey/sdk']).toMatchObject({
      version: '1.15.3',
      resolved: dependencies['@storey/sdk'],
      integrity: `sha512-${hash}`,
    })
  })

  it('keeps any name, even with special characters of JSON, Markdown or replacement patterns', async () => {
    const name = `"}, "x": '\`$& $1 {{slug}} </script> <img src=x> [a](b) \\ Ёж`
    const { folder } = await write({ name })
    expect((await json(folder, 'manifest.json')).name).toBe(name)
    const [title] = (await readFile(join(folder, 'README.md'), 'utf8')).split('\n')
    expect(title).not.toMatch(/[^\\][<>[\]`]/)
    expect(title!.slice(2).replaceAll(/\\(.)/g, '$1')).toBe(name)
  })

  it('contains no placeholder of the template', async () => {
    const { folder, files } = await write()
    for (const file of files) {
      expect(await readFile(join(folder, file), 'utf8'), file).not.toMatch(/\{\{|module-template|Module template/)
    }
  })

  it('is written into an empty folder only', async () => {
    await write({ folder: join(cwd, 'empty') })
    await expect(write({ folder: join(cwd, 'empty') })).rejects.toMatchObject({
      code: 'FOLDER_NOT_EMPTY',
      message: expect.stringMatching(/empty is not empty: it contains \.gitignore and \d+ more\.$/),
    })
    await writeFile(join(cwd, 'file'), '')
    await expect(write({ folder: join(cwd, 'file') })).rejects.toMatchObject({
      message: expect.stringContaining('is a file'),
    })
  })

  it('[CLI-49] has the SDK of the repository, packed again after a change', async () => {
    const root = join(cwd, 'packages', 'cli')
    const sdk = join(cwd, 'packages', 'sdk', 'src')
    for (const folder of [join(root, 'src'), join(root, 'templates', 'module'), sdk, join(cwd, 'scripts')]) {
      await mkdir(folder, { recursive: true })
    }
    await writeFile(join(root, 'package.json'), JSON.stringify({ name: '@storey/cli' }))
    const packing = `const fs = require('node:fs'); fs.mkdirSync('packages/cli/dist', { recursive: true })
      fs.appendFileSync('packages/cli/dist/sdk.tgz', process.argv.slice(2).join(' ') + '; ')`
    await writeFile(join(cwd, 'scripts', 'build-package.ts'), packing)
    await writeFile(join(sdk, 'index.ts'), '')
    const packed = () => readFile(findAssets(join(root, 'src', 'x.ts')).sdkTarball, 'utf8')
    expect([await packed(), await packed()]).toEqual(['cli sdk; ', 'cli sdk; '])
    await utimes(join(sdk, 'index.ts'), new Date(), new Date(Date.now() + 10_000))
    expect(await packed()).toBe('cli sdk; cli sdk; ')
  })

  it('is not created by an incomplete installation of the tool', async () => {
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ name: '@storey/cli' }))
    expect(() => findAssets(join(cwd, 'dist', 'svc.js'))).toThrow(/the template is missing/)
    await mkdir(join(cwd, 'dist', 'templates', 'module'), { recursive: true })
    expect(() => findAssets(join(cwd, 'dist', 'chunks', 'x.js'))).toThrow(/dist\/sdk\.tgz is missing/)
    await writeFile(join(cwd, 'dist', 'sdk.tgz'), '')
    expect(findAssets(join(cwd, 'dist', 'svc.js')).template).toBe(join(cwd, 'dist', 'templates', 'module'))
  })
})
