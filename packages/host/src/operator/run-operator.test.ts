import { describe, expect, it } from 'vitest'
import { runOperator } from './run-operator.ts'

describe('the operator command', () => {
  it.each(['help', '--help', '-h'])('lists its commands with %s, without a data folder', async (word) => {
    expect(await runOperator([word], {})).toContain('sandbox restore <id>')
  })
})
