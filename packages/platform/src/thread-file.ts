/**
 * The file of a thread. `npm run build` bundles the code that starts threads, so that its place is not that of the
 * source; the files of threads are beside it, under names of their own.
 */
export function threadFile(source: URL, startedFrom: string, built: string): URL {
  return startedFrom.endsWith('.ts') ? source : new URL(built, startedFrom)
}
