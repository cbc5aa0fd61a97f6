/**
 * Settings are read once, from a plain record of strings, and checked together: the one who starts the program
 * learns of every wrong setting at the same time.
 */
export class ConfigError extends Error {
  readonly complaints: readonly string[]
  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'))
    this.name = 'ConfigError'
    this.complaints = complaints
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export class SettingsReader {
  readonly complaints: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** An empty variable counts as absent: that is what `NAME= npm start` means to people. */
  text(name: string): string | undefined {
    const value = this.#environment[name]?.trim()
    return value === '' ? undefined : value
  }

  integer(name: string, fallback: number, range: { min: number; max: number }): number {
    const raw = this.text(name)
    if (raw === undefined) return fallback
    const value = Number(raw)
    if (/^\d+$/.test(raw) && value >= range.min && value <= range.max) return value
    this.complain(name, `wants a whole number from ${range.min} to ${range.max}`, raw)
    return fallback
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const raw = this.text(name)
    if (raw === undefined) return fallback
    const value = choices.find((choice) => choice === raw)
    if (value !== undefined) return value
    this.complain(name, `wants one of ${choices.join(', ')}`, raw)
    return fallback
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true'
  }

  url(name: string, protocols: readonly string[]): URL | undefined {
    const raw = this.text(name)
    if (raw === undefined) return undefined
    if (URL.canParse(raw)) {
      const url = new URL(raw)
      if (protocols.includes(url.protocol)) return url
    }
    // The value itself stays out of the sentence: an address may carry a password.
    this.complain(name, `wants an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return undefined
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  complain(name: string, wants: string, got?: string): void {
    this.complaints.push(`${name} ${wants}${got === undefined ? '' : `, not "${got}"`}`)
  }

  /** The checked settings, frozen; or one error that holds every complaint. */
  finish<T extends object>(settings: T): Readonly<T> {
    if (this.complaints.length > 0) throw new ConfigError(this.complaints)
    return Object.freeze(settings)
  }
}
