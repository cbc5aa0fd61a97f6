/** Where the build puts the app. */
export const SHELL_FOLDER = new URL('../dist/', import.meta.url)
