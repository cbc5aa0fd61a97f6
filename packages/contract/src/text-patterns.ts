/** Patterns of JSON Schema for texts that people write. Control characters and lone surrogates are in none of them. */
/** One line, with something to see in it. */
export const PLAIN_TEXT = '^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]+$'
/** Several lines: line ends and tabs besides. */
export const LONG_TEXT = '^(?:[^\\p{Cc}\\p{Cs}]|[\\n\\r\\t])*$'
export const EMAIL = '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$'
export const EMAIL_LENGTH = 254
