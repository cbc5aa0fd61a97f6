import { COMPARISONS, compare, type Filter, fieldOf, isTrue, itemsOf, queryError } from './filter.ts'
import { FUNCTIONS } from './functions.ts'
import { type Token, tokensOf } from './tokens.ts'

/** A step of a path: returns its results for one value. `input` is the value that the whole path is applied to. */
type Step = (each: unknown, input: unknown) => unknown[]

const LITERALS: Record<string, unknown> = { true: true, false: false, null: null }

/** Compiles a subset of jq that selects and reshapes data: no variables, arithmetic or definitions. */
export function compile(text: string): Filter {
  const tokens = tokensOf(text)
  let at = 0
  const peek = (): Token | undefined => tokens[at]
  const isNext = (symbol: string) => peek()?.kind === 'symbol' && peek()!.text === symbol
  const isWord = (word: string) => peek()?.kind === 'word' && peek()!.text === word
  const take = (): Token => tokens[at++] ?? fail()
  const fail = (): never => {
    throw queryError(at >= tokens.length ? 'the expression ends too early' : `"${peek()!.text}" is unexpected`)
  }
  const expect = (symbol: string) => (isNext(symbol) ? take() : fail())
  const skip = (symbol: string): boolean => isNext(symbol) && take() !== undefined

  function pipe(): Filter {
    let left = comma()
    while (skip('|')) {
      const [before, after] = [left, comma()]
      left = (input) => before(input).flatMap(after)
    }
    return left
  }

  function comma(): Filter {
    const parts = [logic('or')]
    while (skip(',')) parts.push(logic('or'))
    return parts.length === 1 ? parts[0]! : (input) => parts.flatMap((part) => part(input))
  }

  function logic(word: 'or' | 'and'): Filter {
    const next = () => (word === 'or' ? logic('and') : comparison())
    let left = next()
    while (isWord(word)) {
      take()
      const [a, b] = [left, next()]
      const isDecided = (value: unknown) => isTrue(value) === (word === 'or')
      left = (input) => a(input).flatMap((x) => (isDecided(x) ? [isTrue(x)] : b(input).map(isTrue)))
    }
    return left
  }

  function comparison(): Filter {
    const left = postfix()
    const test = peek()?.kind === 'symbol' ? COMPARISONS[peek()!.text] : undefined
    if (test === undefined) return left
    take()
    const right = postfix()
    return (input) => right(input).flatMap((b) => left(input).map((a) => test(compare(a, b))))
  }

  function postfix(): Filter {
    let left = primary()
    for (;;) {
      const before = left
      if (skip('?')) left = (input) => unlessItFails(() => before(input))
      else {
        const step = nextStep()
        if (step === undefined) return left
        left = (input) => before(input).flatMap((each) => step(each, input))
      }
    }
  }

  /** Reads one step of a path. If `?` follows it, each value for which the step fails has no results. */
  function nextStep(): Step | undefined {
    const step = skip('[') ? index() : skip('.') ? (skip('[') ? index() : field()) : undefined
    if (step === undefined || !skip('?')) return step
    return (each, input) => unlessItFails(() => step(each, input))
  }

  function field(): Step {
    const { kind, text: name, value } = take()
    if (kind !== 'word' && kind !== 'string') return fail()
    const key = kind === 'string' ? value : name
    return (each) => [fieldOf(each, key)]
  }

  function index(): Step {
    if (skip(']')) return itemsOf
    const key = pipe()
    expect(']')
    return (each, input) => key(input).map((name) => fieldOf(each, name))
  }

  function primary(): Filter {
    const token = take()
    if (token.kind === 'string' || token.kind === 'number') return () => [token.value]
    if (token.kind === 'word')
      return Object.hasOwn(LITERALS, token.text) ? () => [LITERALS[token.text]] : call(token.text)
    if (token.text === '.') return afterDot()
    if (token.text === '(') return closed(')')
    if (token.text === '{') return object()
    if (token.text !== '[') {
      at -= 1
      return fail()
    }
    if (skip(']')) return () => [[]]
    const items = closed(']')
    return (input) => [items(input)]
  }

  function closed(symbol: string): Filter {
    const inner = pipe()
    expect(symbol)
    return inner
  }

  function afterDot(): Filter {
    if (peek()?.kind !== 'word' && peek()?.kind !== 'string') return (input) => [input]
    const step = field()
    return (input) => step(input, input)
  }

  function call(name: string): Filter {
    const args: Filter[] = []
    if (skip('(')) args.push(closed(')'))
    const make = Object.hasOwn(FUNCTIONS, `${name}/${args.length}`) ? FUNCTIONS[`${name}/${args.length}`] : undefined
    if (make !== undefined) return make(...args)
    const known = Object.keys(FUNCTIONS).map((key) => key.replace(/\/0$/, '').replace(/\/1$/, '()'))
    throw queryError(`unknown function "${name}"; known functions: ${known.join(', ')}`)
  }

  /** Reads an object, such as `{name, id: .sandboxId}`. Each combination of results of the fields gives an object. */
  function object(): Filter {
    const entries: [string, Filter][] = []
    while (!skip('}')) {
      if (entries.length > 0) expect(',')
      const { kind, text: word, value } = take()
      if (kind !== 'word' && kind !== 'string') return fail()
      const key = kind === 'string' ? String(value) : word
      entries.push([key, skip(':') ? logic('or') : (input) => [fieldOf(input, key)]])
    }
    return (input) =>
      entries.reduce<Record<string, unknown>[]>(
        (all, [key, filter]) => all.flatMap((each) => filter(input).map((value) => ({ ...each, [key]: value }))),
        [{}],
      )
  }

  const filter = pipe()
  if (at < tokens.length) return fail()
  return filter
}

function unlessItFails(results: () => unknown[]): unknown[] {
  try {
    return results()
  } catch {
    return []
  }
}
