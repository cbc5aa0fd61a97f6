/** The output folder of the build. */
export const PORTAL_FOLDER = new URL('../dist/', import.meta.url)
