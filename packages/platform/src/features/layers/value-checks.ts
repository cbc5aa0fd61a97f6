import { compileValueSchema, type ValueCheck } from '../../value-schema/index.ts'

/** Compiled schemas of layers in use. A compiled one has some 50 KB. */
const MOST_KEPT = 32

export interface ValueChecks {
  /** The check of a stored schema, by its text: a schema that changes is another text. */
  of(schemaText: string): ValueCheck
}

export function createValueChecks(): ValueChecks {
  const kept = new Map<string, ValueCheck>()
  return {
    of(schemaText) {
      const check = kept.get(schemaText) ?? compileValueSchema(JSON.parse(schemaText))
      // The last used stands last, and the first goes first.
      kept.delete(schemaText)
      kept.set(schemaText, check)
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break
        kept.delete(oldest)
      }
      return check
    },
  }
}
