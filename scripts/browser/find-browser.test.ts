import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'
import { findBrowser, whyUnusable } from './find-browser.ts'

it.runIf(process.platform === 'linux')('skips a browser that does not start, and returns the reason', () => {
  const folder = temporaryFolder('storey-browser')
  const program = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, `#!/bin/sh\n${text}\n`)
    chmodSync(path, 0o755)
    return path
  }
  const broken = program('broken', 'echo "error while loading shared libraries: libnss3.so" >&2; exit 127')
  const whole = program('whole', 'echo Chromium 1')
  expect(findBrowser([join(folder, 'none'), broken, whole])).toBe(whole)
  expect(findBrowser([broken])).toBeUndefined()
  expect(whyUnusable([broken])).toContain('libnss3.so')
  expect(whyUnusable([join(folder, 'none')])).toBeUndefined()
})
