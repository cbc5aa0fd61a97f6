/** The output folder of the build. */
export const SHELL_FOLDER = new URL('../dist/', import.meta.url)
