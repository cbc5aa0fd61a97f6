import { compileValueSchema, type ValueCheck } from '../../value-schema/index.ts'

/** Compiled schemas of recently used layers. Each takes some 50 KB. */
const MAX_KEPT = 32

export interface ValueChecks {
  /** The check of a stored schema, by its text: a changed schema is another text. */
  of(schemaText: string): ValueCheck
}

export function createValueChecks(): ValueChecks {
  const kept = new Map<string, ValueCheck>()
  return {
    of(schemaText) {
      const check = kept.get(schemaText) ?? compileValueSchema(JSON.parse(schemaText))
      // The most recently used is last; the oldest is dropped first.
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
