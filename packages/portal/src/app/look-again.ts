/** What others may change meanwhile, in another tab or by the API, is asked for so often while somebody looks. */
export const LOOK_AGAIN_MS = 15_000
