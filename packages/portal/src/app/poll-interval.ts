/**
 * How often a visible page reloads data that other people can change. While a sandbox is being created, reset or
 * migrated, the interval is `BUSY_POLL_MS` of `use-sandboxes.ts`.
 */
export const POLL_MS = 15_000
