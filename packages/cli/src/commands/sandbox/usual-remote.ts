/** Where a module's preview server listens unless it is told otherwise. */
export const USUAL_PORT = 6001
export const remoteEntryAt = (port: number): string => `http://localhost:${port}/assets/remoteEntry.js`
export const USUAL_REMOTE_ENTRY = remoteEntryAt(USUAL_PORT)
