/** The output folder of the build. */
export const REFERENCE_FOLDER = new URL('../dist/', import.meta.url)
