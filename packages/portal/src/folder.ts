/** Where the build puts the app. */
export const PORTAL_FOLDER = new URL('../dist/', import.meta.url)
