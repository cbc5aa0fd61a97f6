import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('the identity package prints nothing when it is loaded', () => {
  const program =
    "const { warn } = console; await import('@storey/identity'); if (console.warn !== warn) throw new Error()"
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=source', '--input-type=module', '--eval', program],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  )
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
