/**
 * The file with the code of a worker thread: `source`, or in a build the file `built`, which is beside the bundle.
 * `startedFrom` is the file that starts the thread.
 */
export function threadFile(source: URL, startedFrom: string, built: string): URL {
  return startedFrom.endsWith('.ts') ? source : new URL(built, startedFrom)
}
