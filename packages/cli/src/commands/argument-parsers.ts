import { InvalidArgumentError } from 'commander'

// Parsers of options and arguments. If a parser throws, commander puts the name of the option or argument and the given
// value before the message.

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

const MAX_REFERENCE = 200

/**
 * Parses the id, slug or name of a sandbox. A token is refused, and `withoutTokens` hides the token in the error.
 */
export function sandboxReference(text: string): string {
  const reference = text.trim()
  if (reference === '') throw new InvalidArgumentError('Must not be empty.')
  if (reference.length > MAX_REFERENCE || /^(svc_|eyJ)/.test(reference)) {
    throw new InvalidArgumentError('Use the id, slug or name of a sandbox; `svc sandbox list` shows yours.')
  }
  return reference
}

export const SANDBOX_ARGUMENT = 'id, slug or name of the sandbox'

/** The description of the argument of a command that uses the sandbox of `svc use` by default. */
export const SELECTED_SANDBOX = `${SANDBOX_ARGUMENT} (default: the one selected with \`svc use\`)`

/**
 * The description of the argument of a command whose default is the sandbox of the environment, or else of `svc use`.
 */
export const CURRENT_SANDBOX = `${SANDBOX_ARGUMENT} (default: the one in the environment, else the one selected with \`svc use\`)`
