/** Patterns of JSON Schema for texts that people write. Control characters and lone surrogates are in none of them. */
export const PLAIN_TEXT = '^[^\\p{Cc}\\p{Cs}]+$'
export const EMAIL = '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$'
export const EMAIL_LENGTH = 254
