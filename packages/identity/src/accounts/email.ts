/**
 * Whether an account may have this address. This check accepts more than `emailAddress` of the contract, because
 * accounts of earlier versions may have addresses that `emailAddress` refuses. It refuses control characters, because
 * PostgreSQL refuses a query with a NUL character.
 */
export const mayBeStored = (text: string) => text.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text)
