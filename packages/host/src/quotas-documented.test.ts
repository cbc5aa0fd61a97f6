import { readFileSync } from 'node:fs'
import { QUOTAS } from '@storey/contract'
import { expect, it } from 'vitest'

it('[QTA-02] every quota is documented in the operations guide, with its limit', () => {
  const text = readFileSync('docs/operations.md', 'utf8').replaceAll(/ +/g, ' ')
  for (const [name, { limit, of }] of Object.entries(QUOTAS)) {
    expect(text).toContain(`| \`${name}\` | ${limit.toLocaleString('en')} | ${of} |`)
  }
})
