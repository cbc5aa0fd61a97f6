import { spawn } from 'node:child_process'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { forwardOutput } from './stack-output.ts'

describe('the output of a stack', () => {
  afterEach(() => vi.restoreAllMocks())

  async function run(script: string, form: 'json' | 'lines') {
    const passed: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      passed.push(String(text))
      return true
    })
    const logged: Record<string, string>[] = []
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
    forwardOutput(child, 'sbx_a', form, log)
    await new Promise((resolve) => child.once('close', resolve))
    vi.restoreAllMocks()
    return { passed: passed.join(''), logged }
  }

  it('[HST-38] is forwarded if it is JSON, and otherwise logged as JSON with the id of the sandbox', async () => {
    const script = `console.error(JSON.stringify({ msg: 'own' })); console.log('stray'); process.emitWarning('old'); setTimeout(() => { throw new Error('broken') }, 20)`
    const { passed, logged } = await run(script, 'json')
    expect(passed).toBe('{"msg":"own"}\n')
    for (const line of logged) expect(line).toMatchObject({ sandboxId: 'sbx_a', msg: 'stack output' })
    const text = logged.map((line) => line.text).join('\n')
    for (const part of ['stray', 'Warning: old', 'Error: broken']) expect(text).toContain(part)
  })

  it('[HST-38] is logged with its unfinished last line, and a line that never ends is truncated', async () => {
    const { logged } = await run(`process.stderr.write('x'.repeat(300000)); process.stdout.write('last')`, 'json')
    expect(logged.map(({ text }) => text)).toContain('last')
    expect(Math.max(...logged.map(({ text }) => text!.length))).toBeLessThan(200_000)
  })

  it('is forwarded unchanged in development', async () => {
    expect((await run(`console.error('12:00:00 info  hello')`, 'lines')).passed).toBe('12:00:00 info  hello\n')
  })
})
