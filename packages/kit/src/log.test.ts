import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const HOSTILE = { agent: 'a\u001b[2J\u009b31m\u202e', text: 'b\n12:00:00 error forged' }

const WARNING = `log.warn({ ...${JSON.stringify(HOSTILE)}, err: new Error('c\\u009bd\\ne') }, 'request refused')`

/** What a process with this log writes to stderr. */
function written(form: 'json' | 'lines', statement = WARNING): string {
  const program = `
    import { createLog } from '${import.meta.resolve('./log.ts')}'
    const log = createLog({ level: 'info', form: '${form}', name: 'test' })
    ${statement}`
  const args = ['--conditions=source', '--input-type=module', '-e', program]
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stderr
}

describe('a log line with text of a client', () => {
  it('[HST-85] in the form for a terminal is one line, without control characters', () => {
    const text = written('lines')
    expect(text).toContain(
      'agent=a\\u001b[2J\\u009b31m\\u202e text=b\\u000a12:00:00 error forged error="c\\u009bd\\u000ae"',
    )
    expect(text.trimEnd()).not.toMatch(/[^ -~]/)
  })

  it('[HST-85] in the form for a terminal is followed by an indented stack, whatever the message contains', () => {
    const [line, ...stack] = written('lines', `log.error({ err: new Error('a\\n12:00:00 error forged') }, 'failed')`)
      .trimEnd()
      .split('\n')
    expect(line).toContain('failed error="a\\u000a12:00:00 error forged"')
    expect(stack.length).toBeGreaterThan(1)
    for (const each of stack) expect(each).toMatch(/^ {4}/)
  })

  it('can have any thrown value as its error', () => {
    for (const thrown of ['null', '"text"', '{}', '7']) {
      expect(written('lines', `log.error({ err: ${thrown} }, 'failed')`)).toContain('failed error=')
    }
  })

  it('[HST-85] in the JSON form has no control characters, and is parsed to the same text', () => {
    const text = written('json')
    expect(text.trimEnd()).not.toMatch(/[^ -~]/)
    expect(JSON.parse(text)).toMatchObject(HOSTILE)
  })
})
