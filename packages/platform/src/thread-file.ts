/**
 * The file of a thread. `npm run build` bundles the code that starts threads. The files of threads are then beside the
 * bundle, under names of their own.
 */
export function threadFile(source: URL, startedFrom: string, built: string): URL {
  return startedFrom.endsWith('.ts') ? source : new URL(built, startedFrom)
}
