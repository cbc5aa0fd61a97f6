import { expect, it } from 'vitest'
import { sandboxFlag } from './sandbox-flag.ts'

it('names the sandbox in a suggested command only if the user named it', () => {
  expect(sandboxFlag(undefined)).toBe('')
  expect(sandboxFlag('sbx_1')).toBe(' --sandbox=sbx_1')
  expect(sandboxFlag('My mall')).toBe(" --sandbox='My mall'")
})
