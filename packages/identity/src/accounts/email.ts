/**
 * Whether an account may have this address. Accounts of earlier versions may have addresses that `emailAddress` of the
 * contract refuses. Control characters are refused here, because PostgreSQL would refuse a query with a NUL character.
 */
export const mayBeStored = (text: string) => text.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text)
