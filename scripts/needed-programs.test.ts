import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'
import { missingPrograms } from './needed-programs.ts'

it('names the programs that the tests need and this machine lacks, with their packages', () => {
  const folder = temporaryFolder('storey-programs')
  const path = ['/nowhere', folder].join(delimiter)
  expect(missingPrograms(path, 'linux')).toMatch(/need bash \(package bash\) and script \(package util-linux\)/)
  writeFileSync(join(folder, 'bash'), '')
  expect(missingPrograms(path, 'linux')).toMatch(/need script \(package util-linux\)\./)
  writeFileSync(join(folder, 'script'), '')
  expect(missingPrograms(path, 'linux')).toBeUndefined()
})
