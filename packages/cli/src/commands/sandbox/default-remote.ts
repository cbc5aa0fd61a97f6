/** The default port of a module's preview server. */
export const DEFAULT_PORT = 6001
export const remoteEntryAt = (port: number): string => `http://localhost:${port}/assets/remoteEntry.js`
export const DEFAULT_REMOTE_ENTRY = remoteEntryAt(DEFAULT_PORT)
