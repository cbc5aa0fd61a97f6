import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { VERSION } from '../../packages/contract/src/version.ts'
import { VERSION_PLACES } from './version-places.ts'

it.each(VERSION_PLACES)('[VER-02] $file names the version of the packages', ({ file, pattern }) => {
  const named = readFileSync(file, 'utf8').matchAll(new RegExp(pattern, `${pattern.flags.replace('g', '')}g`))
  expect(new Set([...named].map(([version]) => version))).toEqual(new Set([VERSION]))
})
