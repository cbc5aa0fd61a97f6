import { InvalidArgumentError } from 'commander'

/** Parsers of option values: what they throw becomes a sentence that names the option. */

export function integer({ min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`A whole number from ${min} to ${max} is wanted.`)
    return value
  }
}

export function decimal({ min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`A number from ${min} to ${max} is wanted.`)
    return value
  }
}

export function shortText(longest: number): (text: string) => string {
  return (text) => {
    if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
    if ([...text].length > longest) throw new InvalidArgumentError(`At most ${longest} characters are allowed.`)
    return text
  }
}

/** Ids are parts of addresses: a slip is told here, and not by whatever the path then means. */
export function sandboxId(text: string): string {
  if (!/^sbx_[0-9a-z]+$/i.test(text)) {
    throw new InvalidArgumentError('The id of a sandbox starts with sbx_; `svc sandbox list` shows yours.')
  }
  return text
}
