/**
 * The file of a thread. `npm run build` bundles the code that starts threads, so that its place is not that of the
 * source; the files of threads are beside it, under names of their own.
 */
export function threadFile(startedFrom: string, source: string, built: string): URL {
  return new URL(startedFrom.endsWith('.ts') ? source : built, startedFrom)
}
