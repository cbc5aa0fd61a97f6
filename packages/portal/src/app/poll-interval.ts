/** How often a visible page reloads data that other people can change. `use-sandboxes.ts` has a shorter interval. */
export const POLL_MS = 15_000
