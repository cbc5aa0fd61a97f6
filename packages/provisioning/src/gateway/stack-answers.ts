/** The details of problems when a stack does not answer. */
export const NO_RESPONSE = 'The sandbox did not respond and is being stopped: the next request starts it'
export const STACK_STOPPED = 'The sandbox stopped while it handled the request'

/**
 * A live connection, or a request with a credential or a live session, counts as a caller's if it lasts longer than
 * this: a stack refuses an invalid credential immediately, and closes a live connection that does not sign in within 5
 * seconds.
 */
export const UNAUTHENTICATED_LIMIT_MS = 6_000
