/** The output folder of the build of the shell. */
export const SHELL_FOLDER = new URL('../dist/', import.meta.url)
