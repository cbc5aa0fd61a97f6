import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

describe('a start with a Node that is too old', () => {
  it.each(['18.20.4', '20.11.1'])('ends with one sentence on Node %s', (version) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'packages/host/src/main.ts'], {
      env: { ...process.env, npm_config_user_agent: `npm/10.2.4 node/v${version} linux x64 workspaces/false` },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      `storey: this is Node ${version}, and Storey needs Node 20.19 or a later 20, or 22.12 or later: see https://nodejs.org\n`,
    )
  })
})
