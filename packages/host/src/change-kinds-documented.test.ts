import { readFileSync } from 'node:fs'
import { CHANGE_KINDS } from '@storey/contract'
import { expect, it } from 'vitest'

it('[LIV-17] every kind of changed data is documented', () => {
  const text = readFileSync('docs/events.md', 'utf8')
  for (const kind of CHANGE_KINDS) expect(text).toContain(`\n| \`${kind}\` `)
})
