/**
 * The file of a thread. `npm run build` bundles the code that starts threads, which is then not where its source is.
 * The files of threads are beside the bundle, under names of their own.
 */
export function threadFile(source: URL, startedFrom: string, built: string): URL {
  return startedFrom.endsWith('.ts') ? source : new URL(built, startedFrom)
}
