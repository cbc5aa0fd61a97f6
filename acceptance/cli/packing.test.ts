import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { VERSION } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { execute, installedTool, newHome, TOOL } from './tool.ts'

const MB = 1024 * 1024
const folder = await installedTool()

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** The file and all files that it imports statically, directly or indirectly. */
function staticImportsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, path] of text.matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+)["']/gm)) {
    staticImportsOf(join(dirname(file), path!), seen)
  }
  return seen
}

describe('the tool', () => {
  it('installs from its package into an empty folder without dependencies, and runs there', async () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@storey'])
    expect(readdirSync(join(folder, 'node_modules', '@storey'))).toEqual(['cli'])
    const home = newHome()
    const bin = join(folder, 'node_modules', '.bin', 'svc')
    // The tool runs with the Node on the PATH, which may be the oldest supported version, 20.
    expect(await execute(bin, ['--version'], { env: home })).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' })
    const dry = await execute(bin, ['sandbox', 'create', '--dry-run', '--format=json'], { env: home })
    expect(JSON.parse(dry.stdout).fingerprint).toMatch(/^sha256:/)
  })

  it('takes less than 10 MB, with the native keyring', () => {
    const keyring = readdirSync('node_modules/@napi-rs').map((name) => sizeOf(join('node_modules/@napi-rs', name)))
    expect(keyring.length).toBeGreaterThan(1)
    expect(sizeOf(join(folder, 'node_modules')) + keyring.reduce((a, b) => a + b)).toBeLessThan(10 * MB)
  })

  it('loads the SDK and the generator only when a command needs them', () => {
    const files = [...staticImportsOf(TOOL)]
    expect(files.length).toBeGreaterThan(1)
    expect(files.length).toBeLessThan(5)
    const text = files.map((file) => readFileSync(file, 'utf8')).join('')
    expect(text.length).toBeLessThan(200_000)
    expect(text).toContain('Manage sandboxes of building twins')
    expect(text).not.toContain('openid-configuration')
    expect(text).not.toContain('Real Estate')
  })

  it('contains the templates, the SDK and the licences of bundled packages', () => {
    const dist = dirname(TOOL)
    expect(readdirSync(join(dist, 'templates', 'module'))).toContain('manifest.json')
    expect(statSync(join(dist, 'sdk.tgz')).size).toBeGreaterThan(1000)
    expect(readFileSync(join(dist, 'LICENSES.txt'), 'utf8')).toMatch(/^commander$.*^oauth4webapi$.*^typebox$/ms)
  })

  it('runs from the repository too', () => {
    const args = ['run', '--silent', 'svc', '--', 'completion', 'bash']
    expect(execFileSync('npm', args, { encoding: 'utf8' })).toContain('complete -F _svc svc')
  })

  it('[VER-02] has the same version as all packages', () => {
    const versions = readdirSync('packages').map((name) => {
      return JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8')).version
    })
    expect(new Set(versions)).toEqual(new Set([VERSION]))
  })
})
