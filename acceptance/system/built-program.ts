import { builtService } from '../../scripts/build/built-service.mjs'

const found = new Map<string, string>()

/**
 * The built file of a program of the service, or its source file if there is no build of these sources. The result is
 * kept, because each search for a build hashes all sources.
 */
export function builtProgram(source: string): string {
  const file = found.get(source) ?? builtService('.', source) ?? source
  found.set(source, file)
  return file
}
