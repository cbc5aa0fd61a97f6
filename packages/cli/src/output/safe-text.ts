// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/**
 * Text from the network without control characters, except tabs and line feeds, and without Unicode's line separators,
 * paragraph separators, and bidirectional embeddings, overrides and isolates. Empty if an older service sent no text.
 */
export function safeText(text: string | null | undefined): string {
  return String(text ?? '').replace(CONTROL, '')
}

/** API keys, and the tokens of realms and sandboxes, which are JWTs and begin with `eyJ`. */
const TOKENS = /\bsvc_[0-9A-Za-z]{20,}|\beyJ[\w-]{8,}(\.[\w-]*){0,2}/g

/** Removes tokens from an error message: a misplaced argument can be a token, and users copy errors into tickets. */
export function withoutTokens(text: string): string {
  return text.replace(TOKENS, '…')
}
