import { describe, expect, it } from 'vitest'
import { FILES, written } from '../scripts/write-wire.ts'

describe('the generated types of the SDK', () => {
  it.each(Object.entries(FILES))('%s matches the contract', (name, write) => {
    expect(written(name), 'run node scripts/run.mjs packages/sdk/scripts/write-wire.ts').toBe(write())
  })
})
