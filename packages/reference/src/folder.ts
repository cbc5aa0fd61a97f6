/** The folder that the build of the API reference writes. */
export const REFERENCE_FOLDER = new URL('../dist/', import.meta.url)
