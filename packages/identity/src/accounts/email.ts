/**
 * Whether a stored account can have this address. This check accepts more than `emailAddress` of the contract, because
 * earlier versions could create accounts with addresses that `emailAddress` refuses. Control characters are refused,
 * because PostgreSQL refuses a query with a NUL character.
 */
export const mayBeStored = (text: string) => text.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text)
