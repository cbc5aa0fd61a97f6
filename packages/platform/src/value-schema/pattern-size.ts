/** The parts of a translated pattern. The last alternative takes any character, so the parts have no gaps. */
const PARTS = new RegExp(
  [
    /(?<empty>\\Q\\E)|\\Q[\s\S]*?(?:\\E|$)/,
    /\\[pPx]\{[^{}\\]{0,64}\}|\\[\s\S]/,
    /\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*\]/,
    /(?<flags>\(\?[a-zA-Z-]*\))/,
    /(?<open>\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?)/,
    /(?<close>\))|(?<repeat>[*+?])/,
    /\{(?<min>\d+)(?:,(?<max>\d*))?\}/,
    /[\s\S]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** RE2 refuses patterns whose nested repeats multiply to more than this. */
const MAX_REPEATS = 1_000
/** How many steps a class such as `\p{L}` counts as: compiling its hundreds of ranges takes as long as 100 steps. */
const UNICODE_CLASS = 100
/** The same for a range of a class if the pattern ignores case: the engine looks at each character of the range. */
const FOLDED_RANGE = 1_000

/**
 * Estimates from the text of a translated pattern how many steps it has when it is compiled, without compiling it. A
 * repeat with counts copies what it repeats: `(?:ab){3}` has six steps.
 */
export function estimateSize(pattern: string): number {
  return expandedSize(pattern) + classesSize(pattern)
}

function expandedSize(pattern: string): number {
  const outside: number[] = []
  let size = 0
  /** The size of the last part, which a repeat copies. */
  let last = 0
  for (const { 0: part, groups = {} } of pattern.matchAll(PARTS)) {
    const { flags, empty, open, close, repeat, min, max } = groups
    // A repeat after flags or after an empty `\Q\E` copies the part before them, so `last` stays.
    if (flags !== undefined || empty !== undefined) continue
    // The class has no end, so the pattern is refused when it is compiled. This is the largest size it could have.
    if (part === '[') return MAX_REPEATS * pattern.length
    if (open !== undefined) {
      outside.push(size)
      size = 0
    } else if (close !== undefined) {
      last = size + 2
      size = last + (outside.pop() ?? 0)
    } else if (min !== undefined) {
      const repeated = repeatedSize(last, Number(min), max)
      size += repeated - last
      last = repeated
    } else if (repeat !== undefined) {
      last += 1
      size += 1
    } else {
      last = 1
      size += part.startsWith('\\Q') ? part.length : 1
    }
  }
  return size + outside.reduce((sum, each) => sum + each, 0)
}

/** `max` is undefined in `{3}`, and empty in `{3,}`. */
function repeatedSize(size: number, min: number, max: string | undefined): number {
  const most = max === undefined || max === '' ? min + 1 : Number(max)
  return Math.max(1, most * size + Math.max(0, most - min))
}

function classesSize(pattern: string): number {
  const ignoresCase = /\(\?[a-zA-Z-]*i/.test(pattern)
  const ranges = ignoresCase ? occurrences(pattern, '-') : 0
  const classes = occurrences(pattern, '\\p') + occurrences(pattern, '\\P')
  return UNICODE_CLASS * classes + FOLDED_RANGE * ranges
}

const occurrences = (text: string, part: string) => text.split(part).length - 1
