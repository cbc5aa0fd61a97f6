/** How often a visible page reloads data that others may change. */
export const POLL_MS = 15_000
