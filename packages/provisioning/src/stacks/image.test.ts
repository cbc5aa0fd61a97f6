import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { createStackSpawner } from './spawn-stack.ts'

const ENTRY_POINT = resolve('deploy/image/entrypoint.sh')
const VARIABLES = ['TZ', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']

/** What the entry point would start: the arguments of `node`, and the variables of a stack. */
function runEntryPoint(...args: string[]) {
  const folder = temporaryFolder('storey-image')
  const node = join(folder, 'node')
  writeFileSync(node, `#!/bin/sh\nprintf '%s\\n' "$@"\nenv | grep -E '^(${VARIABLES.join('|')})=' >&2\nexit 0\n`)
  chmodSync(node, 0o755)
  const env = { PATH: `${folder}:${process.env.PATH}`, STACK_MEMORY_MB: '512' }
  const { status, stdout, stderr } = spawnSync('sh', [ENTRY_POINT, ...args], { env, encoding: 'utf8' })
  return { status, started: stdout.trim().split('\n'), variables: stderr.trim().split('\n').sort() }
}

describe.skipIf(process.platform === 'win32')('the image', () => {
  it('[KUB-17] starts stacks with the same flags and variables as `createStackSpawner`', async () => {
    const program = join(temporaryFolder('storey-image'), 'program.mjs')
    writeFileSync(
      program,
      `process.send({ flags: process.execArgv, variables: ${JSON.stringify(VARIABLES)}.map((name) => name + '=' + process.env[name]) })
       process.disconnect()`,
    )
    const options = { program, compileCache: temporaryFolder('storey-cache'), memoryLimitMb: 512, environment: {} }
    const child = createStackSpawner(options).run('serve', {})
    const [{ flags, variables }] = (await once(child, 'message')) as [{ flags: string[]; variables: string[] }]
    for (const command of ['seed', 'serve']) {
      const { started, variables: given } = runEntryPoint(command)
      expect(started).toEqual([...flags, resolve('stack/main.js'), command])
      expect(given).toEqual(variables.sort())
    }
  })

  it('[KUB-17] runs the control plane and operator commands, and refuses an unknown command', () => {
    const start = ['--conditions=source', resolve('packages/host/src/main.ts')]
    expect(runEntryPoint().started).toEqual(start)
    expect(runEntryPoint('start').started).toEqual(start)
    const operator = ['--conditions=source', resolve('packages/host/src/operator/main.ts'), 'sandbox', 'list']
    expect(runEntryPoint('operator', 'sandbox', 'list').started).toEqual(operator)
    expect(runEntryPoint('sh').status).toBe(64)
  })

  it('[KUB-17] has a user of its own, no npm, and a health check that fails if the service does not respond with 200', async () => {
    const dockerfile = readFileSync('deploy/image/Dockerfile', 'utf8')
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM'))
    expect(last).toMatch(/^USER 1000:1000$/m)
    // `warm` compiles the code in advance. Node uses compiled code only for the user who wrote it, so `warm` must run
    // as the user of the image.
    expect(last.indexOf('"warm"')).toBeGreaterThan(last.indexOf('USER 1000:1000'))
    expect(last).toMatch(/rm -rf .*\/npm/)
    expect(last).not.toMatch(/npm (install|ci|run)/)
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/healthz' && request.headers.host === 'portal.example' ? 200 : 404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const check = async (publicUrl: string) => {
      const env = { PORT: String((server.address() as AddressInfo).port), PUBLIC_URL: publicUrl }
      const [code] = await once(spawn(process.execPath, ['deploy/image/health.mjs'], { env }), 'exit')
      return code
    }
    expect(await check('https://portal.example')).toBe(0)
    expect(await check('https://other.example')).toBe(1)
    await new Promise((done) => server.close(done))
  })
})
