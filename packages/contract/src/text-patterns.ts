// JSON Schema patterns for texts. None allows lone surrogates, or control characters other than line ends and tabs.

/** One line with at least one character that is not white space. */
export const PLAIN_TEXT = '^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]+$'
/**
 * The name of a sandbox. It has no line separator, no zero-width space, and no character that embeds, overrides or
 * isolates a text direction. It has at least one letter or digit, because the address of the sandbox is built from its
 * letters and digits.
 */
export const SANDBOX_NAME =
  '^(?=.*[\\p{L}\\p{N}])[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u200b\\u202a-\\u202e\\u2066-\\u2069\\ufeff]+$'
/** The label of a key. */
export const KEY_LABEL = '^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]+$'
/** Several lines: also allows line ends and tabs. */
export const LONG_TEXT = '^(?:[^\\p{Cc}\\p{Cs}]|[\\n\\r\\t])*$'
/**
 * A name by which people distinguish accounts: no invisible characters, except joiners and variation selectors, which
 * some scripts and emoji need.
 */
export const ACCOUNT_NAME =
  '^(?=.*[^\\s\\p{Default_Ignorable_Code_Point}])(?:[\\u200c\\u200d\\ufe0e\\ufe0f]|[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc])+$'
/** An email address. `emailAddress` in `email.ts` also refuses some addresses that match this pattern. */
export const EMAIL =
  '^[^\\s@\\p{Cc}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]+@[^\\s@\\p{Cc}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]*[^\\s@.\\p{Cc}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]$'
export const EMAIL_LENGTH = 254
/**
 * A path, with or without query and fragment, on the same host. `//host` and `/\host` do not match, because browsers
 * resolve them to another host.
 */
export const LOCAL_PATH = '^/(?!/)[^\\\\\\s\\p{Cc}\\p{Cs}]*$'
