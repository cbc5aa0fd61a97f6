import type { Cluster } from './cluster.ts'

/** Events are a log, which the API server itself removes after an hour. */
const LOGS = /^events(\.|$)/

/** All objects with this label, of every kind that the API server can list, in all namespaces. */
export async function objectsWithLabel(cluster: Cluster, label: string): Promise<string[]> {
  const listed = await cluster.kubectl(['api-resources', '--verbs=list', '-o', 'name'])
  const kinds = listed.split('\n').filter((kind) => kind !== '' && !LOGS.test(kind))
  const found = await cluster.kubectl(['get', kinds.join(','), '-A', '-l', label, '-o', 'name', '--ignore-not-found'])
  return found.split('\n').filter((line) => line !== '')
}
