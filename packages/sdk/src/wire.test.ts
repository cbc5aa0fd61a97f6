import { describe, expect, it } from 'vitest'
import { FILES, written } from '../scripts/write-wire.ts'

describe('what the SDK knows of the wire', () => {
  it.each(Object.entries(FILES))('%s says what the contract says', (name, write) => {
    expect(written(name), 'run node scripts/run.mjs packages/sdk/scripts/write-wire.ts').toBe(write())
  })
})
