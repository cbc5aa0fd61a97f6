import { describe, expect, it } from 'vitest'
import { check, findMarkers, parseRules, type Rule, summary } from './conformance.ts'

const rule = (id: string, state = 'open', line = 1): Rule => ({ id, code: ['README.md'], state, line })
const tests = (...ids: string[]) => new Map([['packages/a/src/a.test.ts', ids]])

describe('parseRules', () => {
  it('reads the rows of every table, with their lines', () => {
    const page = [
      '# T',
      '',
      '| Id | Rule | Code | State |',
      '|---|---|---|---|',
      '| SBX-01 | One. | `README.md` | open |',
      '',
      '| KEY-01 | x | `README.md` | done |',
    ]
    expect(parseRules(page.join('\n'))).toEqual([rule('SBX-01', 'open', 5), rule('KEY-01', 'done', 7)])
  })

  it('accepts an escaped bar in a rule', () => {
    expect(parseRules('| SBX-01 | a \\| b | `README.md` | open |')).toEqual([rule('SBX-01')])
  })

  it('reads a row with a wrong number of cells, so that its state is refused', () => {
    expect(parseRules('| SBX-01 | a | `README.md` | b | open |')).toEqual([rule('SBX-01', 'b | open')])
    expect(parseRules('| SBX-01 | a | `README.md` |')).toEqual([rule('SBX-01', '')])
  })
})

describe('the code of a rule', () => {
  const page = '| SBX-01 | a | `kit/http/body.ts`, `scripts/lock.ts` | done |'

  it('is one file or several, in a package or elsewhere', () => {
    expect(parseRules(page)[0]!.code).toEqual(['packages/kit/src/http/body.ts', 'scripts/lock.ts'])
  })

  it('is reported if it does not exist', () => {
    const problems = check(parseRules(page), tests('SBX-01'), (path) => path === 'scripts/lock.ts')
    expect(problems).toEqual([expect.stringContaining('names "packages/kit/src/http/body.ts" for SBX-01')])
  })
})

describe('findMarkers', () => {
  it('finds markers in the titles of it, test, describe and each', () => {
    const source = `
      describe('[SBX-01] a', () => {
        it("b [SBX-02]", () => {})
        test(\`[SBX-03] \${name}\`, () => {})
        it.each([['x']])('[SBX-04] %s', () => {})
      })`
    expect(findMarkers(source)).toEqual(['SBX-01', 'SBX-02', 'SBX-03', 'SBX-04'])
  })

  it('finds several markers in one title, each once', () => {
    expect(findMarkers("it('[SBX-01, KEY-02][AUD-03] a [SBX-01]')")).toEqual(['SBX-01', 'KEY-02', 'AUD-03'])
  })

  it('finds a marker with the wrong number of digits, so that it is refused as unknown', () => {
    expect(findMarkers("it('[SBX-1] a')")).toEqual(['SBX-1'])
  })

  it('ignores comments', () => {
    expect(findMarkers("// it('[SBX-01] a')\n/* it('[SBX-02] a') */ it(/* '[SBX-03]' */ 'b')")).toEqual([])
  })

  it('ignores markers outside of strings', () => {
    expect(findMarkers('const a = list[SBX-1]; const b = /[SBX-01]/')).toEqual([])
  })

  it('ignores skipped and todo tests', () => {
    const source = "it.skip('[SBX-01] a', f); it.todo('[SBX-02] b'); describe.concurrent.skip('[SBX-03] c', f)"
    expect(findMarkers(source)).toEqual([])
  })

  it.each([
    ['a comment sign in a string', "const a = 'http://x'; it('[SBX-01] a')"],
    ['an escaped quote', "const a = 'it\\'s // x'; it('[SBX-01] a')"],
    ['quotes in a regular expression', "expect(a).toMatch(/['\"`/]/); it('[SBX-01] a')"],
    ['an escaped slash in a regular expression', "const a = /\\/\\/'/; it('[SBX-01] a')"],
    ['divisions', "const a = b / 2; const c = (a) / 2; it('[SBX-01] a')"],
    ['a division after a string', "const a = 'b' / 2 / 1; it('[SBX-01] a')"],
    ['templates in templates', `const a = \`\${b ? \`http://\${c}\` : {d: '}'}.d}//\`; it('[SBX-01] a')`],
    ['a bare dollar in a template', "const a = `$5 \\` $`; it('[SBX-01] a')"],
    ['an apostrophe in JSX text', "const a = <p>don't</p>\nit('[SBX-01] a')"],
    ['a title on a line of its own', "it(\n  // why\n  '[SBX-01] a',\n)"],
  ])('is not misled by %s', (_, source) => {
    expect(findMarkers(source)).toEqual(['SBX-01'])
  })
})

describe('check', () => {
  it('accepts a page whose done rules all have tests', () => {
    const rules = [rule('SBX-01', 'done'), rule('SBX-02'), rule('KEY-01', 'done')]
    expect(check(rules, tests('SBX-01', 'KEY-01'))).toEqual([])
  })

  it('accepts a test of a rule that is still open', () => {
    expect(check([rule('SBX-01')], tests('SBX-01'))).toEqual([])
  })

  it('reports a done rule that no test names', () => {
    expect(check([rule('SBX-01', 'done', 9)], tests())).toEqual([
      'docs/conformance.md:9 marks SBX-01 done, but no test names it: put [SBX-01] into the title of one.',
    ])
  })

  it('reports a test that names an unknown rule', () => {
    expect(check([rule('SBX-01')], tests('SBX-02'))).toEqual([
      'packages/a/src/a.test.ts names [SBX-02], which is not in docs/conformance.md: ' +
        'correct the id, or add the rule there.',
    ])
  })

  it('reports an id that occurs twice', () => {
    expect(check([rule('SBX-01', 'open', 3), rule('SBX-01', 'open', 4)], tests())).toEqual([
      'docs/conformance.md:4 repeats SBX-01 of line 3: give this rule the next free number.',
    ])
  })

  it('reports a state other than done and open', () => {
    expect(check([rule('SBX-01', 'Done', 3)], tests())).toEqual([
      'docs/conformance.md:3 gives SBX-01 the state "Done": write four cells, the last one done or open.',
    ])
  })

  it('reports every gap in the numbers of a prefix', () => {
    const gap = (id: string) =>
      `docs/conformance.md lacks ${id}: restore that rule, or number the SBX rules from 01 without a gap.`
    expect(check([rule('SBX-02'), rule('SBX-04'), rule('KEY-01')], tests())).toEqual([gap('SBX-01'), gap('SBX-03')])
  })

  it('reports an id in the wrong format', () => {
    expect(check([rule('Sbx-1', 'open', 3)], tests())).toEqual([
      'docs/conformance.md:3 has the id "Sbx-1": write a prefix of two to four capitals and a number, such as SBX-01.',
    ])
  })

  it('reports a page without rules', () => {
    expect(check([], tests())).toEqual([
      'docs/conformance.md has no rules: restore its tables of Id, Rule, Code and State.',
    ])
  })
})

describe('summary', () => {
  it('counts the rules that are done', () => {
    expect(summary([rule('SBX-01', 'done'), rule('SBX-02')])).toBe('conformance: 1 of 2 rules done, each with a test')
  })
})
