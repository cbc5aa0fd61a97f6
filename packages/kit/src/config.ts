/**
 * The errors of all settings in one message. Settings are read once from the environment and checked together.
 */
export class ConfigError extends Error {
  readonly errors: readonly string[]
  constructor(errors: readonly string[]) {
    super(errors.join('\n'))
    this.name = 'ConfigError'
    this.errors = errors
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export class SettingsReader {
  readonly errors: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** The value of a variable. An empty value, as in `NAME= npm start`, counts as absent. */
  text(name: string): string | undefined {
    const value = this.#environment[name]?.trim()
    return value === '' ? undefined : value
  }

  integer(name: string, fallback: number, range: { min: number; max: number }): number {
    const raw = this.text(name)
    if (raw === undefined) return fallback
    const value = Number(raw)
    if (/^\d+$/.test(raw) && value >= range.min && value <= range.max) return value
    this.addError(name, `must be a whole number from ${range.min} to ${range.max}`, raw)
    return fallback
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const raw = this.text(name)
    if (raw === undefined) return fallback
    const value = choices.find((choice) => choice === raw)
    if (value !== undefined) return value
    this.addError(name, `must be one of ${choices.join(', ')}`, raw)
    return fallback
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true'
  }

  url(name: string, protocols: readonly string[]): URL | undefined {
    const raw = this.text(name)
    return raw === undefined ? undefined : this.parseUrl(name, raw, protocols)
  }

  /** URLs separated by commas. */
  urls(name: string, protocols: readonly string[]): URL[] {
    return this.list(name).flatMap((raw) => this.parseUrl(name, raw, protocols) ?? [])
  }

  private parseUrl(name: string, raw: string, protocols: readonly string[]): URL | undefined {
    if (URL.canParse(raw)) {
      const url = new URL(raw)
      if (protocols.includes(url.protocol)) return url
    }
    // The value is not printed, because a URL may contain a password.
    this.addError(name, `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return undefined
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  addError(name: string, rule: string, got?: string): void {
    this.errors.push(`${name} ${rule}${got === undefined ? '' : `, not "${got}"`}`)
  }

  /** Returns the frozen settings, or throws a ConfigError with all errors. */
  finish<T extends object>(settings: T): Readonly<T> {
    if (this.errors.length > 0) throw new ConfigError(this.errors)
    return Object.freeze(settings)
  }
}
