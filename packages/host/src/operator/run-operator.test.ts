import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { runOperator } from './run-operator.ts'

describe('the operator program', () => {
  it.each(['help', '--help', '-h'])('lists its commands with %s, without a data folder', async (word) => {
    expect(await runOperator([word], {})).toContain('sandbox restore <sandbox>')
  })

  it('[HST-68] creates no installation: a data folder that no service has used is refused', async () => {
    const missing = join(temporaryFolder('storey-operator'), 'missing')
    for (const env of [{}, { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/x' }]) {
      await expect(runOperator(['sandbox', 'list'], { DATA_DIR: missing, ...env })).rejects.toThrow(
        `No service has used the data folder ${missing} yet.`,
      )
    }
    expect(existsSync(missing)).toBe(false)
  })
})
