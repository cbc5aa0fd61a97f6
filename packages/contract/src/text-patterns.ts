/** Patterns of JSON Schema for texts that people write. Control characters and lone surrogates are in none of them. */
/** One line, with something to see in it. */
export const PLAIN_TEXT = '^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]+$'
/** The name of a sandbox: nothing in it turns the direction of a text, and a letter or digit gives its address. */
export const SANDBOX_NAME = '^(?=.*[\\p{L}\\p{N}])[^\\p{Cc}\\p{Cs}\\u200b\\u202a-\\u202e\\u2066-\\u2069\\ufeff]+$'
/** The label of a key. */
export const KEY_LABEL = '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]+$'
/** Several lines: line ends and tabs besides. */
export const LONG_TEXT = '^(?:[^\\p{Cc}\\p{Cs}]|[\\n\\r\\t])*$'
export const EMAIL = '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$'
export const EMAIL_LENGTH = 254
