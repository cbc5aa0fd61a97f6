export type Level = 'ok' | 'warning' | 'problem'

/** What the doctor found in one area, and what to do about it. */
export interface Finding {
  level: Level
  area: string
  text: string
  /** What to do; absent if nothing has to be done. */
  advice?: string
}

/** Collects the findings of one area. */
export class Findings {
  readonly all: Finding[] = []
  readonly #area: string

  constructor(area: string) {
    this.#area = area
  }

  ok(text: string): void {
    this.#add('ok', text)
  }

  warning(text: string, advice: string): void {
    this.#add('warning', text, advice)
  }

  problem(text: string, advice: string): void {
    this.#add('problem', text, advice)
  }

  #add(level: Level, text: string, advice?: string): void {
    this.all.push({ level, area: this.#area, text, ...(advice === undefined ? {} : { advice }) })
  }
}

/** The text of an error, or of its cause if the error has a cause: `fetch` puts the reason into the cause. */
export function reasonOf(err: unknown): string {
  const { message, code, cause } = err as NodeJS.ErrnoException
  if (cause instanceof Error) return reasonOf(cause)
  return message || code || String(err)
}
