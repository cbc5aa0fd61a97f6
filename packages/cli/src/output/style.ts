/** What a stream can show. See https://no-color.org and https://force-color.org for the environment variables. */
export interface Style {
  color: boolean
  /** Whether box drawing, blocks and arrows are shown. If not, ASCII characters take their place. */
  unicode: boolean
}

type Env = Readonly<Record<string, string | undefined>>

export function styleFor(env: Env, stream: { isTTY?: boolean }): Style {
  return { color: hasColor(env, stream.isTTY === true), unicode: hasUnicode(env) }
}

function hasColor(env: Env, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0'
  return isTerminal && env.TERM !== 'dumb'
}

function hasUnicode(env: Env): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  if (env.TERM === 'dumb') return false
  // Without a locale most terminals show UTF-8. With the locales C and POSIX they do not.
  return locale === undefined || locale === '' || /utf-?8/i.test(locale)
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const
export type Ink = keyof typeof CODES

export function paint(style: Style, ink: Ink, text: string): string {
  return style.color ? `\u001b[${CODES[ink][0]}m${text}\u001b[${CODES[ink][1]}m` : text
}

/** Sets one of the 256 terminal colours as the background of a text. */
export function onColor(style: Style, color: number, text: string): string {
  return style.color ? `\u001b[30;48;5;${color}m${text}\u001b[0m` : text
}
