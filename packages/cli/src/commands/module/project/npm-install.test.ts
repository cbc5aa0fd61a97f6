import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { runTool } from '../../../testing/test-context.ts'
import { npmInstall } from './npm-install.ts'

let folder: string
beforeEach(async () => {
  folder = temporaryFolder('svc-npm')
})

const contextWith = async (env: Record<string, string>) => (await runTool(['--version'], { env })).context

/** Calls `npmInstall` with a fake npm that runs the script. Returns the tool's notes. */
async function install(script: string, more: Record<string, string> = {}): Promise<string[]> {
  await writeFile(join(folder, 'npm'), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, 'npm'), 0o755)
  const env = {
    PATH: `${folder}:/usr/bin:/bin`,
    SVC_API_TOKEN: 'secret-token',
    HTTPS_PROXY: 'http://proxy.example',
    ...more,
  }
  const context = await contextWith(env)
  const notes: string[] = []
  context.out.note = (text) => notes.push(text)
  await npmInstall(context, folder)
  return notes
}

/**
 * A fake npm that always fails. With a lock file it reports at once that a version is not available. Without a lock
 * file it waits until the file `proceed` exists or the folder is removed.
 */
const NPM_THAT_WAITS = [
  '#!/bin/sh',
  'if [ -e package-lock.json ]; then echo "npm error code ETARGET" >&2; exit 1; fi',
  'touch started; while [ -e started ] && [ ! -e proceed ]; do sleep 0.02; done; exit 1',
].join('\n')

/** A program that installs the packages of the folder in its argument. */
const INSTALL = `
import { npmInstall } from ${JSON.stringify(new URL('npm-install.ts', import.meta.url).href)}
import { Output } from ${JSON.stringify(new URL('../../../output/output.ts', import.meta.url).href)}
const { env, platform, stdout, stderr } = process
const out = new Output(stdout, stderr, env)
await npmInstall({ env, system: platform, out, clock: { now: Date.now } }, process.argv[1])`

describe('installing packages', () => {
  it('runs npm in the project, without any token', async () => {
    await install('pwd > where; echo "$@" > args; env > environment')
    expect(await readFile(join(folder, 'where'), 'utf8')).toContain(folder)
    expect(await readFile(join(folder, 'args'), 'utf8')).toMatch(/^install /)
    const environment = await readFile(join(folder, 'environment'), 'utf8')
    expect(environment).toContain('HTTPS_PROXY=http://proxy.example')
    expect(environment).not.toMatch(/SVC_|secret-token/)
  })

  it("keeps the user's registry settings, and no other variable of the npm that started the tool", async () => {
    await install('env > environment', {
      NODE_EXTRA_CA_CERTS: '/etc/company-ca.pem',
      npm_config_registry: 'https://npm.company.example/',
      npm_config_cafile: '/etc/company-ca.pem',
      npm_config_noproxy: '',
      npm_config_prefix: '/clone',
      npm_config_local_prefix: '/clone',
      npm_config_loglevel: 'silent',
      npm_config_omit: 'dev',
      npm_package_name: 'storey',
      npm_lifecycle_event: 'svc',
    })
    const environment = await readFile(join(folder, 'environment'), 'utf8')
    const settings = environment.split('\n').filter((line) => /^(npm_|NODE_)/.test(line))
    expect(settings.sort()).toEqual([
      'NODE_EXTRA_CA_CERTS=/etc/company-ca.pem',
      'npm_config_cafile=/etc/company-ca.pem',
      'npm_config_registry=https://npm.company.example/',
    ])
  })

  it('shows the output of npm when it fails, and how to continue', async () => {
    await expect(install('echo "npm error 404 no such package" >&2; exit 1')).rejects.toMatchObject({
      code: 'NPM_INSTALL_FAILED',
      exitCode: 1,
      message: expect.stringContaining('404 no such package'),
      next: expect.stringContaining(`"npm install" in ${folder}`),
    })
  })

  it('[CLI-49] installs other versions if the registry lacks those of the lock file', async () => {
    await writeFile(join(folder, 'package-lock.json'), '{}')
    const npm = 'echo "$@" >> args; if [ -e package-lock.json ]; then echo "npm error code ETARGET" >&2; exit 1; fi'
    expect(await install(npm)).toEqual([expect.stringMatching(/^The registry lacks .*\.$/)])
    const calls = (await readFile(join(folder, 'args'), 'utf8')).trim().split('\n')
    expect(calls.map((args) => args.includes('--prefer-offline'))).toEqual([true, false, false])
    await expect(readFile(join(folder, 'package-lock.json'))).rejects.toThrow('ENOENT')
  })

  it('[CLI-49] keeps the lock file if a version is missing only in the cache, or if the network fails', async () => {
    await writeFile(join(folder, 'package-lock.json'), '{}')
    const notes = await install('case "$*" in *--prefer-offline*) echo "npm error code ETARGET" >&2; exit 1;; esac')
    expect(notes).toEqual([])
    await expect(install('echo "npm error code ECONNREFUSED" >&2; exit 1')).rejects.toThrow('ECONNREFUSED')
    expect(await readFile(join(folder, 'package-lock.json'), 'utf8')).toBe('{}')
  })

  it('[CLI-49] restores the lock file if the process ends while npm installs other versions', async () => {
    const lock = join(folder, 'package-lock.json')
    await writeFile(lock, '{}')
    const before = process.listeners('exit')
    const installed = expect(install(NPM_THAT_WAITS)).rejects.toThrow('npm could not install')
    await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true)
    for (const listener of process.listeners('exit')) if (!before.includes(listener)) listener(130)
    expect(await readFile(lock, 'utf8')).toBe('{}')
    await writeFile(join(folder, 'proceed'), '')
    await installed
    expect(await readFile(lock, 'utf8')).toBe('{}')
    expect(process.listeners('exit')).toEqual(before)
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    '[CLI-49] restores the lock file if %s ends the process while npm installs other versions',
    async (signal) => {
      const lock = join(folder, 'package-lock.json')
      await writeFile(lock, '{}')
      await writeFile(join(folder, 'npm'), NPM_THAT_WAITS)
      await chmod(join(folder, 'npm'), 0o755)
      const tool = spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', INSTALL, folder], {
        env: { PATH: `${folder}:/usr/bin:/bin` },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const ended = once(tool, 'exit')
      await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true)
      expect(existsSync(lock)).toBe(false)
      tool.kill(signal)
      expect(await ended).toEqual([null, signal])
      await writeFile(join(folder, 'proceed'), '')
      expect(await readFile(lock, 'utf8')).toBe('{}')
    },
  )

  it('reports that npm is missing', async () => {
    await expect(npmInstall(await contextWith({ PATH: folder }), folder)).rejects.toMatchObject({
      message: expect.stringContaining('ENOENT'),
    })
  })
})
