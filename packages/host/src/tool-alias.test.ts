import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { toolAlias } from './tool-alias.ts'

describe('the alias of the tool', () => {
  it('[CLI-41] works from a path with spaces, quotes and dollars, and keeps the arguments', () => {
    const root = join(temporaryFolder('storey'), 'Ann\'s $HOME "x"')
    mkdirSync(join(root, 'scripts'), { recursive: true })
    const script = 'console.log(JSON.stringify([process.env.SVC_SANDBOX_API_URL ?? null, ...process.argv.slice(2)]))'
    writeFileSync(join(root, 'scripts', 'svc.mjs'), script)
    const line = toolAlias('http://localhost:4123', root)
    const shell = `shopt -s expand_aliases\n${line}\nsvc a "b c"\n`
    const { PATH = '' } = process.env
    const printed = execFileSync('bash', ['--norc', '-c', shell], {
      env: { PATH },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(JSON.parse(printed)).toEqual(['http://localhost:4123', 'a', 'b c'])
    expect(toolAlias('http://localhost:4000', '/home/ann/storey')).toBe(
      "alias svc='node /home/ann/storey/scripts/svc.mjs'",
    )
  })
})
