import { InvalidArgumentError } from 'commander'

/** Parsers of option values: commander adds the name of the option to what they throw. */

export function integer({ min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`)
    return value
  }
}

export function decimal({ min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Must be a number from ${min} to ${max}.`)
    return value
  }
}

export function shortText(longest: number): (text: string) => string {
  return (text) => {
    if (text.trim() === '') throw new InvalidArgumentError('Must not be empty.')
    if ([...text].length > longest) throw new InvalidArgumentError(`Must have at most ${longest} characters.`)
    return text
  }
}

/** Ids become part of a path: a typing error is reported here, not as an unrelated 404. */
export function sandboxId(text: string): string {
  if (!/^sbx_[0-9a-z]+$/i.test(text)) {
    throw new InvalidArgumentError('A sandbox id starts with sbx_; `svc sandbox list` shows yours.')
  }
  return text
}
