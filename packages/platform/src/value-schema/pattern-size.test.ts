import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compilePattern, estimatePattern } from './patterns.ts'

const PARTS = [
  ...['a', 'é', '😀', '.', '^', '$', '|', '{', '}', '{,2}', '\\b', '\\d', '\\(', '\\)', '\\[', '\\/', '\\cA', '\\pL'],
  ...['\\u0041', '\\p{Greek}', '\\Q(\\E', '\\Q\\E', '\\Qab)\\E', '(?i)', '(?s)'],
  ...['[a-z]', '[^]x]', '[](]', '[\\]]', '[a\\](]', '[[:alpha:](]'],
]
const REPEATS = [
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '{2}',
  '{7}',
  '{3,}',
  '{0,4}',
  '{2,5}',
  '{3}?',
  '(?i){3}',
  '\\Q\\E{3}',
]

const { pattern } = fc.letrec<{ part: string; pattern: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...PARTS),
    fc.tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
  ),
  pattern: fc
    .array(fc.tuple(tie('part'), fc.constantFrom(...REPEATS)), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.flat().join('')),
}))

function compiledSize(text: string): number | undefined {
  try {
    return compilePattern(text).size
  } catch {
    return undefined
  }
}

it('[LAY-49] the size of a pattern exceeds its estimate by at most 30 % and six steps', () => {
  let compiled = 0
  const check = (text: string) => {
    const size = compiledSize(text)
    if (size === undefined) return
    compiled++
    expect(size, text).toBeLessThanOrEqual(1.3 * estimatePattern(text) + 6)
  }
  fc.assert(fc.property(pattern, check), { numRuns: 3_000 })
  expect(compiled).toBeGreaterThan(1_000)
})
