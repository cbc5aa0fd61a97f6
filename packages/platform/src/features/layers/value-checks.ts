import { compileValueSchema, type ValueCheck } from '../../value-schema/index.ts'

/** How many compiled schemas the cache holds at most. Each takes about 50 KB. */
const MAX_KEPT = 32

export interface ValueChecks {
  /** The check of a stored schema. It is cached by the text of the schema, so a changed schema gets another check. */
  of(schemaText: string): Promise<ValueCheck>
}

export function createValueChecks(): ValueChecks {
  const kept = new Map<string, ValueCheck>()
  return {
    async of(schemaText) {
      const check = kept.get(schemaText) ?? (await compileValueSchema(JSON.parse(schemaText)))
      // The most recently used check is last in the map, so the first one is the least recently used.
      kept.delete(schemaText)
      kept.set(schemaText, check)
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break
        kept.delete(oldest)
      }
      return check
    },
  }
}
