import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { createServerLog } from './server-log.ts'

it('[HST-39] the log of the server is written again after its file was deleted, and is then renamed only when it is large', () => {
  const file = join(temporaryFolder('storey-log'), 'postgres.log')
  const log = createServerLog(file)
  log.write('x'.repeat(6 * 1024 * 1024))
  rmSync(file)
  for (const line of ['one\n', 'two\n']) log.write(line)
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
  expect(existsSync(`${file}.1`)).toBe(false)
})
