import { describe, expect, it } from 'vitest'
import { Output } from './output.ts'
import { noteAfter, startProgress } from './progress.ts'
import { styleFor } from './style.ts'
import { alignedTable, plainTable } from './table.ts'

describe('the style of an output stream', () => {
  it('has colours depending on the terminal, NO_COLOR, FORCE_COLOR and TERM', () => {
    const terminal = { isTTY: true }
    const cases: [Record<string, string>, { isTTY?: boolean }, boolean][] = [
      [{}, terminal, true],
      [{}, {}, false],
      [{ NO_COLOR: '1' }, terminal, false],
      [{ NO_COLOR: '' }, terminal, true],
      [{ TERM: 'dumb' }, terminal, false],
      [{ FORCE_COLOR: '1' }, {}, true],
      [{ FORCE_COLOR: '0' }, terminal, false],
      [{ NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, false],
    ]
    for (const [env, stream, expected] of cases)
      expect({ env, color: styleFor(env, stream).color }).toEqual({ env, color: expected })
  })

  it('has no Unicode signs if the locale is not UTF-8 or the terminal is dumb', () => {
    const unicode = (env: Record<string, string>) => styleFor(env, {}).unicode
    expect([{}, { LANG: 'de_DE.UTF-8' }, { LANG: 'C.utf8' }].map(unicode)).toEqual([true, true, true])
    expect([{ LANG: 'C' }, { LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, { TERM: 'dumb' }].map(unicode)).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('a note about a long wait', () => {
  const written = async (isTTY: boolean, format: 'text' | 'json', waitMs: number) => {
    let text = ''
    const stream = { isTTY, write: (more: string) => (text += more) }
    const out = new Output(stream, stream, {})
    out.format = format
    const end = noteAfter(20, out, 'still waiting')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    end()
    await new Promise((resolve) => setTimeout(resolve, 60))
    return text
  }

  it('is one line in a log, and is not written after a short wait, with JSON output, or on a terminal', async () => {
    expect(await written(false, 'text', 120)).toBe('still waiting\n')
    expect(await written(false, 'text', 0)).toBe('')
    expect(await written(false, 'json', 120)).toBe('')
    expect(await written(true, 'text', 120)).toBe('')
  })
})

describe('the progress line', () => {
  it('is cut to the width of the terminal, in which some characters take two columns', () => {
    let text = ''
    const stream = { isTTY: true, columns: 30, write: (more: string) => (text += more) }
    const progress = startProgress(new Output(stream, stream, { NO_COLOR: '1' }), () => 0)
    progress.show('東'.repeat(30), undefined)
    progress.end()
    // The sign, the time and the blanks take 10 of the 30 columns.
    expect(text).toContain(` ${'東'.repeat(10)}  0 s`)
  })
})

describe('tables', () => {
  it('are aligned by displayed width', () => {
    expect(
      alignedTable(
        ['ID', 'NAME', 'X'],
        [
          ['1', '東京', 'a'],
          ['22', 'Mall', 'b'],
        ],
      ),
    ).toEqual(['ID  NAME  X', '1   東京  a', '22  Mall  b'])
  })

  it('that are written to a pipe have one line per row and a tab between cells', () => {
    expect(
      plainTable([
        ['1', 'a\tb\nc'],
        ['2', 'd'],
      ]),
    ).toEqual(['1\ta b c', '2\td'])
  })
})
