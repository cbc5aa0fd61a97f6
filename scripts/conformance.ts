// Checks that docs/conformance.md, the tests and the code agree: each rule that is marked done is named in the title of
// a test, no test names an unknown rule, and the files that a rule names exist.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Rule {
  id: string
  /** The files that implement the rule. */
  code: string[]
  state: string
  line: number
}

export type MarkersByFile = ReadonlyMap<string, readonly string[]>

interface Literal {
  text: string
  /** The end of the code before the literal, without comments. */
  before: string
}

const PAGE = 'docs/conformance.md'
const TESTS = '{packages,acceptance,bench,scripts/{api,install,release}}/**/*.test.{ts,tsx}'
const PACKAGES = new Set(globSync('*', { cwd: join(import.meta.dirname, '..', 'packages') }))
const STATES = ['done', 'open']

const ID = /^([A-Z]{2,4})-(\d{2,3})$/
const MARKER = /\[([A-Z]{2,4}-\d+(?:\s*,\s*[A-Z]{2,4}-\d+)*)\]/g
const SKIPPED = /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:skip|todo)(?:\.\w+)*\s*\(\s*$/

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const QUOTED = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y
const TEMPLATE_PIECE = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y
const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{;+\-*%~^>]|\b(?:return|typeof|case|in|of|await|yield))\s*$/

export function parseRules(markdown: string): Rule[] {
  const rules: Rule[] = []
  for (const [index, line] of markdown.split('\n').entries()) {
    if (!line.startsWith('|')) continue
    const [id = '', , code = '', ...rest] = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    if (id === 'Id' || /^:?-+:?$/.test(id)) continue
    rules.push({ id, code: code.split(', ').map(fileOf), state: rest.join(' | '), line: index + 1 })
  }
  return rules
}

/** `kit/http/body.ts` in backticks is `packages/kit/src/http/body.ts`; other paths begin at the root. */
function fileOf(cell: string): string {
  const path = cell.replace(/^`|`$/g, '')
  const [, name, inside] = /^([a-z]+)\/(.+)$/.exec(path) ?? []
  return name !== undefined && PACKAGES.has(name) ? `packages/${name}/src/${inside}` : path
}

export function findMarkers(source: string): string[] {
  const ids = new Set<string>()
  for (const { text, before } of findLiterals(source)) {
    if (SKIPPED.test(before)) continue
    for (const [, list = ''] of text.matchAll(MARKER)) {
      for (const id of list.split(',')) ids.add(id.trim())
    }
  }
  return [...ids]
}

export function check(
  rules: readonly Rule[],
  markersByFile: MarkersByFile,
  isFile: (path: string) => boolean = existsSync,
): string[] {
  if (rules.length === 0) return [`${PAGE} has no rules: restore its tables of Id, Rule, Code and State.`]
  return [
    ...rules.flatMap(checkRow),
    ...checkRepeats(rules),
    ...checkNumbering(rules),
    ...checkCode(rules, isFile),
    ...checkDone(rules, markersByFile),
    ...checkUnknown(rules, markersByFile),
  ]
}

export function summary(rules: readonly Rule[]): string {
  const done = rules.filter((rule) => rule.state === 'done').length
  return `conformance: ${done} of ${rules.length} rules done, each with a test`
}

function checkRow({ id, state, line }: Rule): string[] {
  const problems: string[] = []
  if (!ID.test(id)) {
    problems.push(
      `${PAGE}:${line} has the id "${id}": write a prefix of two to four capitals and a number, such as SBX-01.`,
    )
  }
  if (!STATES.includes(state)) {
    problems.push(`${PAGE}:${line} gives ${id} the state "${state}": write four cells, the last one done or open.`)
  }
  return problems
}

function checkRepeats(rules: readonly Rule[]): string[] {
  const first = new Map<string, number>()
  const problems: string[] = []
  for (const { id, line } of rules) {
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, line)
    else problems.push(`${PAGE}:${line} repeats ${id} of line ${earlier}: give this rule the next free number.`)
  }
  return problems
}

function checkNumbering(rules: readonly Rule[]): string[] {
  const taken = new Map<string, Set<number>>()
  for (const { id } of rules) {
    const [, prefix, number] = ID.exec(id) ?? []
    if (prefix) taken.set(prefix, (taken.get(prefix) ?? new Set()).add(Number(number)))
  }
  const problems: string[] = []
  for (const [prefix, numbers] of taken) {
    for (let number = 1; number < Math.max(...numbers); number++) {
      if (numbers.has(number)) continue
      const id = `${prefix}-${String(number).padStart(2, '0')}`
      problems.push(`${PAGE} lacks ${id}: restore that rule, or number the ${prefix} rules from 01 without a gap.`)
    }
  }
  return problems
}

function checkCode(rules: readonly Rule[], isFile: (path: string) => boolean): string[] {
  return rules.flatMap(({ id, code, line }) =>
    code
      .filter((path) => !isFile(path))
      .map(
        (path) =>
          `${PAGE}:${line} names "${path}" for ${id}, which does not exist: name the file where the rule is decided.`,
      ),
  )
}

function checkDone(rules: readonly Rule[], markersByFile: MarkersByFile): string[] {
  const named = new Set([...markersByFile.values()].flat())
  return rules
    .filter(({ id, state }) => state === 'done' && !named.has(id))
    .map(({ id, line }) => `${PAGE}:${line} marks ${id} done, but no test names it: put [${id}] into the title of one.`)
}

function checkUnknown(rules: readonly Rule[], markersByFile: MarkersByFile): string[] {
  const known = new Set(rules.map(({ id }) => id))
  return [...markersByFile].flatMap(([file, ids]) =>
    ids
      .filter((id) => !known.has(id))
      .map((id) => `${file} names [${id}], which is not in ${PAGE}: correct the id, or add the rule there.`),
  )
}

// A simple scanner instead of a parser. It only distinguishes comments, strings, templates and regular expressions.
function findLiterals(source: string): Literal[] {
  const literals: Literal[] = []
  const openBraces: number[] = [] // for each open `${`, the number of braces that are open inside it
  let code = ''
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(source)?.[0]
    at += match?.length ?? 0
    return match
  }
  while (at < source.length) {
    if (take(COMMENT)) continue
    const char = source[at]!
    const resumesTemplate = char === '}' && openBraces.at(-1) === 0
    const isTemplate = char === '`' || resumesTemplate
    const literal = isTemplate ? take(TEMPLATE_PIECE) : take(QUOTED)
    if (literal) {
      literals.push({ text: literal, before: code })
      if (resumesTemplate) openBraces.pop()
      if (isTemplate && literal.endsWith('${')) openBraces.push(0)
      // The end of `code` decides what a following `/` is: after `${` it may begin a regular expression, and after a
      // whole literal it is a division.
      code = isTemplate && literal.endsWith('${') ? '{' : `${code}''`.slice(-80)
      continue
    }
    if (char === '/' && REGEX_MAY_FOLLOW.test(code) && take(REGEX)) {
      code += "''"
      continue
    }
    if (openBraces.length > 0 && char === '{') openBraces[openBraces.length - 1]! += 1
    if (openBraces.length > 0 && char === '}') openBraces[openBraces.length - 1]! -= 1
    code = (code + char).slice(-80)
    at += 1
  }
  return literals
}

function main(): void {
  const root = join(import.meta.dirname, '..')
  const rules = parseRules(readFileSync(join(root, PAGE), 'utf8'))
  const files = globSync(TESTS, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  const markersByFile = new Map(files.map((file) => [file, findMarkers(readFileSync(join(root, file), 'utf8'))]))
  const problems = check(rules, markersByFile)
  if (problems.length === 0) {
    process.stdout.write(`${summary(rules)}\n`)
    return
  }
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
}

if (import.meta.main) main()
